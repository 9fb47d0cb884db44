import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { anotherMachine, demo } from '../harness/fixtures-demo.ts'

/** Passes requests on; the answer to the first of each POST under /v1 never arrives. */
async function loseFirstAnswers(service: string) {
  const lost = new Set<string>()
  const server = createServer(async (incoming, answer) => {
    const { method = '', headers, url = '' } = incoming
    const body = method === 'POST' ? await text(incoming) : undefined
    const sent = { method, headers: headers as Record<string, string>, ...(body !== undefined && { body }) }
    const reply = await fetch(new URL(url, service), sent)
    const key = String(headers['idempotency-key'])
    if (method === 'POST' && headers['idempotency-key'] !== undefined && !lost.has(key)) {
      lost.add(key)
      answer.destroy()
      return
    }
    const given = [...reply.headers].filter(
      ([name]) => !/^(?:content-encoding|content-length|connection|transfer)/.test(name),
    )
    answer.writeHead(reply.status, Object.fromEntries(given)).end(await reply.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost }
}

const ONE = 'version: 1\ncontacts:\n  ada: { email: "ada@example.test", name: Ada }\n'

test('after a lost answer its own record counts as created, and one of another run is taken over or created again', async () => {
  const { env, file } = await demo(ONE)
  const { url, lost } = await loseFirstAnswers(env.CRM_BASE_URL ?? '')
  const losing = async () => {
    lost.clear()
    const { stdout } = await crm(['fixtures', 'apply', file, '-o', 'json'], {
      ...anotherMachine(env),
      CRM_BASE_URL: url,
    })
    expect(lost.size).toBeGreaterThan(0)
    return JSON.parse(stdout)[0]
  }
  const own = await losing()
  expect(own).toMatchObject({ action: 'created' })
  // What is older than clocks may differ cannot be its own.
  await delay(6500)
  expect(await losing()).toEqual({ ...own, action: 'taken_over' })
  await crmPrints(['contacts', 'delete', own.id, '--yes', '-o', 'id'], env)
  const anew = await losing()
  expect(anew).toMatchObject({ action: 'created' })
  expect(anew.id).not.toBe(own.id)
  expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toMatchObject([{ id: anew.id }])
})
