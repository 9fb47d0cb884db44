import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { newDatabase } from '../harness/database.ts'
import { emptyHome } from '../harness/home.ts'
import { all } from '../harness/records.ts'
import type { Serving } from '../harness/service.ts'
import { serve, startService } from '../harness/service.ts'

interface Passed {
  readonly status: number
  readonly isReplayed: boolean
  readonly body: string
}

/**
 * Stands in front of a service and forwards everything but the first answer to a write: that arrives whole, so its change is
 * committed; then the service is killed with SIGKILL, the client's connection is cut, and another service takes over.
 */
async function loseFirstAnswer(first: Serving, restart: () => Promise<Serving>) {
  let target = first.url
  const passed: Passed[] = []
  const server = createServer(async (incoming, answer) => {
    const body = await text(incoming)
    const forwarder = request(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      headers: incoming.headers,
    })
    forwarder.end(body)
    const [answered] = (await once(forwarder, 'response')) as [IncomingMessage]
    const answerText = await text(answered)
    const { statusCode: status = 0, headers } = answered
    // What comes before the write is forwarded unchanged.
    const isWrite = body.includes('Ada')
    if (isWrite) passed.push({ status, isReplayed: headers['idempotent-replayed'] === 'true', body: answerText })
    if (!isWrite || passed.length > 1) {
      answer.writeHead(status, headers).end(answerText)
      return
    }
    await first.stop('SIGKILL')
    target = (await restart()).url
    answer.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, passed, target: () => target }
}

test.each([
  ['contacts create', ['contacts', 'create', '--set', 'name=Ada']],
  ['crm graphql', ['graphql', 'mutation { createContact(input: {name: "Ada"}) { contact { id } } }']],
  ['crm api', ['api', 'POST', '/v1/contacts', '-f', 'name=Ada']],
])(
  '%s, whose service is killed between the commit and the answer, gets the stored answer from the next one',
  async (_, args) => {
    const database = await newDatabase()
    const service = await startService(['--database', database])
    const proxy = await loseFirstAnswer(service, () => serve(['--database', database], emptyHome()))
    const env = emptyHome()
    const login = ['auth', 'login', '--base-url', proxy.url, '--storage', 'file', '--key-stdin', '-p', 'keeping']
    await crmPrints(login, env, service.env.CRM_API_KEY)
    const keeping = join(env.HOME ?? '', 'keeping.yaml')
    writeFileSync(keeping, 'extends: crm\nidempotency: { header: Idempotency-Key, kept: null }\n')
    await crmPrints(['config', 'set', 'connector', keeping, '-p', 'keeping'], env)
    const { exit, stdout } = await crm([...args, '-p', 'keeping'], env)
    expect(exit).toBe(0)
    const [lost, replayed] = proxy.passed
    expect(replayed).toEqual({ ...lost, isReplayed: true })
    const contacts = await all({ ...service, url: proxy.target() }, '/v1/contacts')
    expect(contacts).toMatchObject([{ name: 'Ada' }])
    expect(stdout).toContain(contacts[0]?.id)
  },
)
