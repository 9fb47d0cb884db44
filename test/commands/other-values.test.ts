import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SeenRequest, sendJson, startServer } from '../api/answering-server.ts'
import { crm, startRun } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { MARK, NOTATIONS, partsIn } from '../marked-secret.ts'

type Sent = Readonly<Record<string, unknown>>

/** A server that makes each record as `made` says, and a file of contacts. */
async function openServer(made: (sent: Sent, nth: number) => object, csv: string) {
  const records: object[] = []
  const { url } = await startServer((response: ServerResponse, { method, body }: SeenRequest) => {
    if (method === 'GET') return sendJson(response, 200, { data: records, next_cursor: null })
    if (method !== 'POST') return sendJson(response, 204, undefined)
    const record = { id: `c${records.length}`, ...made(JSON.parse(body), records.length) }
    records.push(record)
    sendJson(response, 201, record)
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: MARK })
  const file = join(env.HOME ?? '', 'people.csv')
  writeFileSync(file, csv)
  return { env, file }
}

const THREE = 'name,email,company\nAda,ada@x.test,Acme\nBob,bob@x.test,Beta\nEve,eve@x.test,Gamma\n'
const FIRST = 'line 3, company: sent "Beta", answered "Beta Inc"'

test('an import counts the rows that the server answered with other values, and names the first', async () => {
  const { env, file } = await openServer(
    (sent, nth) => (nth === 0 ? { ...sent, email: 'ADA@x.test' } : { ...sent, company: `${sent.company} Inc` }),
    THREE,
  )
  const argv = ['contacts', 'import', file, '--yes', '--concurrency', '1', '-o', 'json']
  const { exit, stdout, stderr } = await crm(argv, env)
  expect(exit).toBe(0)
  expect(stderr).toContain(`The server answered with other values than were sent in 2 rows; first: ${FIRST}\n`)
  const account = JSON.parse(stdout) as { job: string }
  expect(account).toMatchObject({ done: 3, other_values: 2 })
  const shown = await crm(['jobs', 'show', account.job, '-o', 'json'], env)
  expect(JSON.parse(shown.stdout)).toMatchObject({ other_values: 2, first_other_value: FIRST })
  const again = await crm(['jobs', 'resume', account.job, '-o', 'json'], env)
  expect(JSON.parse(again.stdout)).toMatchObject({ other_values: 2 })
})

test('a job that continues after an interruption counts the rows of both processes, and names the first of them', async () => {
  let interrupt = () => {}
  const { env, file } = await openServer((sent, nth) => {
    if (nth === 0) interrupt()
    return { ...sent, company: `${sent.company} Ltd` }
  }, THREE)
  const argv = ['contacts', 'import', file, '--yes', '--concurrency', '1', '-o', 'json']
  const running = startRun(argv, env)
  interrupt = () => running.interrupt('SIGINT')
  expect(await running.exit).toBe(130)
  const { exit, stdout, stderr } = await crm(argv, env)
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ done: 3, other_values: 3 })
  expect(stderr).toContain('in 3 rows; first: line 2, company: sent "Acme", answered "Acme Ltd"\n')
})

test('an import whose answers show the sent values reports no other values', async () => {
  const { env, file } = await openServer((sent) => ({ ...sent, name: ` ${sent.name}`, extra: 1 }), THREE)
  const { stdout, stderr } = await crm(['contacts', 'import', file, '--yes', '-o', 'json'], env)
  expect(stderr).not.toContain('other values')
  const account = JSON.parse(stdout) as { job: string }
  expect(account).not.toHaveProperty('other_values')
  const shown = await crm(['jobs', 'show', account.job, '-o', 'json'], env)
  expect(JSON.parse(shown.stdout)).toMatchObject({ other_values: 0, first_other_value: null })
})

test.each(Object.entries(NOTATIONS))(
  'an answered value with the key as %s leaves no part of it on stderr',
  async (_, text) => {
    const { env, file } = await openServer((sent) => ({ ...sent, company: `${'x'.repeat(30)} ${text}` }), THREE)
    const { stdout, stderr } = await crm(['contacts', 'import', file, '--yes', '-o', 'json'], env)
    const shown = await crm(['jobs', 'show', (JSON.parse(stdout) as { job: string }).job], env)
    expect(stderr).toContain('in 3 rows; first: line 2, company: sent "Acme", answered "xxx')
    expect(partsIn(stderr + shown.stdout)).toEqual([])
  },
)

test('a long answered value is cut, and control characters in it are not printed', async () => {
  const { env, file } = await openServer((sent) => ({ ...sent, company: `\u001b[31m${'y'.repeat(500)}` }), THREE)
  const { stderr } = await crm(['contacts', 'import', file, '--yes'], env)
  const line = stderr.split('\n').find((each) => each.includes('other values')) ?? ''
  expect(line).toContain('answered "')
  expect(line.length).toBeLessThan(240)
  expect(line).not.toContain('\u001b')
})

test('a bulk update that the server answers with the unchanged records is not kept, and no row is done', async () => {
  const old = { id: 'c1', name: 'Ada', company: 'Acme' }
  const { url } = await startServer((response, { path }) =>
    sendJson(response, 200, path.endsWith('/c1') ? old : { data: [old], next_cursor: null }),
  )
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: MARK })
  const argv = ['contacts', 'update', '--where', '.company == "Acme"', '--set', 'company=Beta', '--yes', '-o', 'json']
  const { exit, stdout, stderr } = await crm(argv, env)
  expect(exit).toBe(3)
  expect(stderr).toContain(
    '1 × not_kept in company: not kept: the server answered 200, and the record still has "Acme"',
  )
  expect(JSON.parse(stdout)).toMatchObject({ done: 0, failed: 1 })
})
