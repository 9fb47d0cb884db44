import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { make } from '../../harness/records.ts'
import { startCrm } from '../crm.ts'
import { serve, startService } from '../service.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const CLOCK = new URL('../../torture/clock-preload.ts', import.meta.url).href
const DAY_MS = 25 * 3_600_000
const ROWS = 60

function countNotes(database: string) {
  const reader = new DatabaseSync(database, { readOnly: true })
  onTestFinished(() => reader.close())
  const { notes, bodies } =
    reader
      .prepare("SELECT count(*) AS notes, count(DISTINCT json_extract(text, '$.body')) AS bodies FROM notes")
      .get() ?? {}
  return { notes: Number(notes), bodies: Number(bodies) }
}

test('notes that were under way when the window ended are in doubt, and are not sent again', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none', '--database', join(folder, 'crm.db')])
  const [deal] = await make(service, '/v1/deals', [{ name: 'Engine', stage: 'Lead' }])
  const proxy = await holdWrites(service.url, 20)
  const file = join(folder, 'notes.jsonl')
  const notes = Array.from({ length: ROWS }, (_, at) => `${JSON.stringify({ deal_id: deal, body: `Note ${at}` })}\n`)
  writeFileSync(file, notes.join(''))
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: stateHome }
  const child = startCrm(['notes', 'import', file, '--yes'], env)
  await proxy.firstWrite
  child.kill('SIGKILL')
  await child.done
  proxy.release()
  await proxy.settled()
  await service.stop()

  const shifted = { ...service.env, NODE_OPTIONS: `--import=${CLOCK}`, TORTURE_CLOCK_SHIFT_MS: `${DAY_MS}` }
  const { port } = new URL(service.url)
  await serve(['--rate-limit', 'none', '--database', service.database, '--port', port], shifted)
  const job = onlyJob(stateHome)
  const { exit, account, stderr } = await runJob(['jobs', 'resume', job], env)
  expect(exit).toBe(3)
  expect(stderr).toContain(`crm jobs failed ${job}`)
  expect(account?.in_doubt).toBeGreaterThan(0)
  expect((account?.done ?? 0) + (account?.in_doubt ?? 0)).toBe(ROWS)
  const { notes: made, bodies } = countNotes(service.database)
  expect(made).toBe(bodies)
  // Which rows of an open lease were sent is unknown.
  expect(made).toBeGreaterThanOrEqual(account?.done ?? 0)
  const failed = JSON.parse(await crmPrints(['jobs', 'failed', job, '-o', 'json'], env))
  expect(failed).toHaveLength(account?.in_doubt ?? 0)

  const again = await runJob(['jobs', 'resume', job], env)
  expect(again).toMatchObject({ exit: 3, account })
  expect(again.stderr).toMatch(/Checking \d+ rows? in doubt again/)
  expect(again.stderr).toContain('notes cannot be read back')
  expect(countNotes(service.database)).toEqual({ notes: made, bodies })
})

test('without its job folder, and a day later, the same command creates no duplicates', async () => {
  const folder = tempFolder()
  const database = join(folder, 'crm.db')
  const first = await startService(['--rate-limit', 'none', '--database', database])
  const people = somePeople(100)
  const file = writePeople(folder, people)
  const env = { ...first.env, CRM_STATE_HOME: join(folder, 'state') }
  expect(await runJob(['contacts', 'import', file, '--yes'], env)).toMatchObject({ exit: 0 })
  await first.stop()
  rmSync(env.CRM_STATE_HOME, { recursive: true })

  const { port } = new URL(first.url)
  const shifted = { ...first.env, NODE_OPTIONS: `--import=${CLOCK}`, TORTURE_CLOCK_SHIFT_MS: `${DAY_MS}` }
  await serve(['--rate-limit', 'none', '--database', database, '--port', port], shifted)
  await runJob(['contacts', 'import', file, '--yes'], env)
  expect(await emailsOn(first)).toEqual(emailsOf(people))
})
