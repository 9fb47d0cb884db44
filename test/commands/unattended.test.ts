import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { jobPaths } from '../../src/jobs/store/job-folder.ts'
import { withJobLock } from '../../src/jobs/store/job-lock.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

/** A server of contacts, which refuses those named Bad, and a file for it. */
async function night() {
  const contacts: JsonObject[] = []
  const { url } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: contacts, next_cursor: null, has_more: false })
    const sent = JSON.parse(body) as JsonObject
    if (sent.name === 'Bad') return sendJson(response, 422, { error: { message: 'no such name' } })
    contacts.push({ id: `con_${contacts.length + 1}`, created_at: new Date().toISOString(), ...sent })
    sendJson(response, 201, contacts.at(-1))
  })
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test', CRM_CONNECTOR: 'contract' })
  const file = join(env.HOME, 'people.csv')
  const log = join(env.HOME, 'night.log')
  const told = join(env.HOME, 'told.json')
  const failing = `sh -c 'cat > "${told}"; test -z "$CRM_API_KEY" || echo leaked >> "${told}"'`
  const run = (rows: string, ...more: readonly string[]) => {
    writeFileSync(file, `name,email\n${rows}`)
    const flags = ['--match', 'email', '--yes', '--log', log, '--on-failure', failing, ...more]
    return crm(['-o', 'json', 'contacts', 'import', file, ...flags], env)
  }
  const events = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
  return { contacts, env, file, log, told, run, events }
}

test('the log has an event a line, with numbers and no values, and a night that goes well tells nobody', async () => {
  const { run, events, log, told } = await night()
  const { exit, stderr } = await run('Ada,ada@example.com\nEve,eve@example.com\n')
  expect(exit, stderr).toBe(0)
  expect(events()).toMatchObject([
    { event: 'start', command: 'crm contacts import', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
    { event: 'plan', job: expect.stringMatching(/^job_/), rows: 2, create: 2, update: 0, unchanged: 0 },
    { event: 'account', rows: 2, done: 2, failed: 0 },
    { event: 'end', exit: 0 },
  ])
  expect(readFileSync(log, 'utf8')).not.toMatch(/Ada|eve@|key_of_the_test/)
  expect(statSync(log).mode & 0o777).toBe(0o600)
  expect(() => statSync(told)).toThrow()
})

test('a log that cannot be written is a failure, and is told', async () => {
  const { run, env, told, contacts } = await night()
  const { exit } = await run('Ada,ada@example.com\n', '--log', join(env.HOME, 'missing', 'night.log'))
  expect(exit).toBe(13)
  expect(contacts).toEqual([])
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({ exit: 13, code: 'machine' })
})

test('a failure is told with the account, without the key, and the exit code stays', async () => {
  const { run, events, told } = await night()
  const { exit } = await run('Ada,ada@example.com\nBad,bad@example.com\n')
  expect(exit).toBe(3)
  expect(events().at(-1)).toMatchObject({ event: 'end', exit: 3, code: 'partial', job: expect.stringMatching(/^job_/) })
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
    ...{ command: 'crm contacts import', exit: 3, code: 'partial' },
    account: { rows: 2, done: 1, failed: 1 },
  })
  expect(readFileSync(told, 'utf8')).not.toMatch(/bad@|leaked/)
})

test('a failure before any plan is told, and a program that fails is named', async () => {
  const { env, file, told } = await night()
  writeFileSync(file, 'name,emial\nAda,ada@example.com\n')
  const argv = ['contacts', 'import', file, '--match', 'email', '--yes']
  expect(await crm([...argv, '--on-failure', `sh -c 'cat > "${told}"; exit 4'`], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('sh of --on-failure ended with exit 4'),
  })
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({ exit: 2, account: {} })
  const missing = await crm([...argv, '--on-failure', 'no-such-program-here'], env)
  expect(missing).toMatchObject({ exit: 2, stderr: expect.stringContaining('cannot run no-such-program-here') })
})

test('--lock-wait waits for the process that runs the job, and without it the command ends', async () => {
  const { run, env, events, contacts } = await night()
  expect((await run('Ada,ada@example.com\nBad,bad@example.com\n')).exit).toBe(3)
  const { job } = events().find(({ event }) => event === 'plan') ?? {}
  const jobs = join(env.HOME, '.local/state/crm/jobs')
  const paths = jobPaths(jobs, String(job))
  await withJobLock(paths, async () => {
    const refused = await run('Ada,ada@example.com\nEve,eve@example.com\n', '--lock-wait', '1ms')
    expect(refused.exit).not.toBe(0)
    expect(refused.stderr).toContain(String(job))
    expect(contacts).toHaveLength(1)
  })
  const free = Promise.withResolvers<void>()
  const held = withJobLock(paths, () => free.promise)
  const waiting = run('Ada,ada@example.com\nEve,eve@example.com\n', '--lock-wait', '1m')
  await expect.poll(() => events().some(({ event }) => event === 'wait')).toBe(true)
  free.resolve()
  const { exit, stderr } = await waiting
  await held
  expect(exit, stderr).toBe(0)
  expect(stderr).toContain('waiting for it (--lock-wait)')
  expect(events().map(({ event }) => event)).toContain('wait')
  expect(contacts.map(({ name }) => name)).toEqual(['Ada', 'Eve'])
})

test('--lock-wait is refused for stdin', async () => {
  const { env } = await night()
  expect((await crm(['contacts', 'import', '-', '--run-id', 'one', '--lock-wait', '1m'], env)).exit).toBe(2)
})
