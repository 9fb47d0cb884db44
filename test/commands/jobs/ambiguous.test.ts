import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { onlyJob, runJob } from '../../harness/import-run.ts'
import { all, ask, make } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const ROWS = 'name,email\nAda,A@x.test\nBob,b@x.test\nCyd,c@x.test\n'

/** Two contacts have the email of line 2, one that of line 3, none that of line 4. */
async function startWithTwins(rows = ROWS) {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const ids = await make(service, '/v1/contacts', [{ email: 'a@x.test' }, { email: 'a@X.test' }, { email: 'b@x.test' }])
  const state = join(folder, 'state')
  const file = join(folder, 'm.csv')
  writeFileSync(file, rows)
  return { service, folder, state, ids, file, env: { ...service.env, CRM_STATE_HOME: state } }
}

const named = (ids: readonly unknown[]) =>
  new RegExp(`it matched 2 contacts by email: (${ids[0]}, ${ids[1]}|${ids[1]}, ${ids[0]})`)

test('an ambiguous row of an import fails alone, is named with its matches, and is sent once it has one match', async () => {
  const { service, state, ids, file, env } = await startWithTwins()
  const words = ['contacts', 'import', file, '--match', 'email', '--yes']
  const first = await runJob(words, env)
  expect(first).toMatchObject({ exit: 3, account: { rows: 3, done: 2, failed: 1, in_doubt: 0, unsent: 0 } })
  expect(first.stderr).toContain('Plan: create 1, change 1, 1 ambiguous, of 3 rows')
  expect((await all(service, '/v1/contacts')).map(({ name }) => name ?? '').sort()).toEqual(['', '', 'Bob', 'Cyd'])

  const job = onlyJob(state)
  const failed = JSON.parse(await crmPrints(['jobs', 'failed', job, '-o', 'json'], env))
  expect(failed).toMatchObject([{ line: 2, do: 'fail', state: 'failed', code: 'ambiguous_match', field: 'email' }])
  for (const id of ids.slice(0, 2)) expect(failed[0].reason).toContain(id)
  const rows = join(state, 'jobs', `${job}.failed.csv`)
  expect(readFileSync(rows, 'utf8')).toMatch(
    /^_crm_line,_crm_code,_crm_field,_crm_reason,name,email\n2,ambiguous_match,email,.*,Ada,A@x.test\n$/,
  )
  expect(await runJob(words, env)).toMatchObject({ exit: 3, account: { done: 0, unchanged: 2, failed: 1 } })
  const bare = await crm(['jobs', 'retry', job, '--yes'], env)
  expect(bare).toMatchObject({ exit: 7, stderr: expect.stringContaining(`crm jobs retry ${job} --from ${rows}`) })

  const still = await runJob(['jobs', 'retry', job, '--from', rows, '--yes'], env)
  expect(still).toMatchObject({ exit: 3, account: { rows: 1, failed: 1 } })
  await ask(service, { method: 'DELETE', path: `/v1/contacts/${ids[1]}` })
  const retried = await runJob(['jobs', 'retry', job, '--from', rows, '--yes'], env)
  expect(retried).toMatchObject({ exit: 0, account: { rows: 1, done: 1 } })
  expect(await all(service, '/v1/contacts')).toContainEqual(expect.objectContaining({ id: ids[0], name: 'Ada' }))
})

test.each([
  ['update', { rows: 3, done: 1, failed: 1, skipped: 1 }],
  ['delete', { rows: 3, done: 1, failed: 1, skipped: 1 }],
])('an ambiguous row of %s --from fails alone, and changes neither', async (verb, account) => {
  const { service, ids, file, env } = await startWithTwins()
  const words = ['contacts', verb, '--from', file, '--match', 'email', '--yes', '--expect', '1']
  const run = await runJob(words, env)
  expect(run).toMatchObject({ exit: 3, account })
  expect(run.stderr).toMatch(named(ids))
  const left = await all(service, '/v1/contacts')
  for (const id of ids.slice(0, 2)) expect(left).toContainEqual(expect.objectContaining({ id, version: 1 }))
})

test('a dry run and a plan state how many rows are ambiguous, and apply fails them, without the input', async () => {
  const { folder, ids, file, env } = await startWithTwins()
  const words = ['contacts', 'import', file, '--match', 'email', '-o', 'json']
  const dry = await crm([...words, '--dry-run'], env)
  const shown = { rows: 3, create: 1, update: 1, skipped: 0, ambiguous: 1, requests: 2 }
  expect([dry.exit, JSON.parse(dry.stdout)]).toEqual([0, expect.objectContaining(shown)])
  expect(JSON.parse(dry.stdout).left_out).toMatchObject([{ line: 2, code: 'ambiguous_match' }])
  expect(dry.stderr).toMatch(named(ids))
  const plan = join(folder, 'plan')
  expect(JSON.parse(await crmPrints([...words, '--plan', plan], env))).toMatchObject(shown)
  const applied = await runJob(['apply', plan, '--yes'], env)
  expect(applied).toMatchObject({ exit: 3, account: { rows: 3, done: 2, failed: 1 } })
  expect(applied.stderr).toContain('Plan: create 1, change 1, 1 ambiguous, of 3 rows')
})

test('a retry sends the other rows that failed, and the ambiguous ones fail again', async () => {
  const { service, state, file, env } = await startWithTwins(`${ROWS}Dan,${'x'.repeat(70_000)}\n`)
  await runJob(['contacts', 'import', file, '--match', 'email', '--yes'], env)
  const retried = await runJob(['jobs', 'retry', onlyJob(state), '--yes'], env)
  expect(retried).toMatchObject({ exit: 3, account: { rows: 2, failed: 2, done: 0 } })
  expect(retried.stderr).toContain('1 of the rows fail again; to match them again: crm jobs retry')
  expect(await all(service, '/v1/contacts')).toHaveLength(4)
})

test('--max-errors counts ambiguous rows', async () => {
  const { service, file, env } = await startWithTwins()
  const words = ['contacts', 'import', file, '--match', 'email', '--yes', '--max-errors', '0%']
  const run = await runJob(words, env)
  expect(run).toMatchObject({ exit: 3, account: { rows: 3, failed: 1, done: 0, unsent: 2 } })
  expect(run.stderr).toContain('stopped after 1 failed row (--max-errors)')
  expect(await all(service, '/v1/contacts')).toHaveLength(3)
})

test('a key that the file has twice is still refused with the whole file', async () => {
  const { service, file, env } = await startWithTwins('name,email\nAda,a@x.test\nEve,A@x.test\n')
  const { exit, stderr } = await crm(['contacts', 'import', file, '--match', 'email', '--yes'], env)
  expect([exit, stderr]).toEqual([2, expect.stringContaining('the same email as line 2')])
  expect(await all(service, '/v1/contacts')).toHaveLength(3)
})
