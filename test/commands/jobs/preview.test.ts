import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { runJob } from '../../harness/import-run.ts'
import { all, make } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

vi.setConfig({ testTimeout: 60_000 })

const COMPANIES = ['Orbit', 'Orbit', 'Acme', 'Orbit', 'Zen']

async function start() {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const people = COMPANIES.map((company, at) => ({ email: `p${at}@x.test`, company, score: at + 0.1 }))
  const ids = await make(service, '/v1/contacts', people)
  return { service, folder, ids, env: { ...service.env, CRM_STATE_HOME: join(folder, 'state') } }
}

const CHANGE = ['contacts', 'update', '--where', '.company != "Zen"', '--set', 'company=Ring', '--set', 'score:=1']

test('a plan shows each change of values with its count, sums of numbers, and three records', async () => {
  const { env, ids } = await start()
  const { preview } = JSON.parse(await crmPrints([...CHANGE, '--dry-run', '-o', 'json'], env))
  expect(preview.members).toEqual([
    {
      field: 'company',
      changes: [
        { was: 'Orbit', now: 'Ring', count: 3 },
        { was: 'Acme', now: 'Ring', count: 1 },
      ],
      others: 0,
      sum: null,
    },
    { field: 'score', changes: expect.any(Array), others: 0, sum: { was: 6.4, now: 4 } },
  ])
  expect(preview.samples).toHaveLength(3)
  for (const { id, ...sample } of preview.samples) {
    const at = ids.indexOf(id)
    const was = { company: COMPANIES[at], score: at + 0.1 }
    expect(sample).toEqual({ do: 'update', line: null, was, now: { company: 'Ring', score: 1 } })
  }
  const shown = await crm([...CHANGE, '--dry-run'], env)
  expect(shown.stderr).toContain('company: "Orbit" → "Ring" (3), "Acme" → "Ring" (1)')
  expect(shown.stderr).toContain('sum 6.4 → 4')
  expect(shown.stderr).toMatch(/For example:\n {2}change con_\w+: company "\w+" → "Ring", score /)
})

test('a member without any value has no sum', async () => {
  const { env, folder } = await start()
  const file = join(folder, 'new.csv')
  writeFileSync(file, 'email,note,score\nnew@x.test,,2\n')
  const words = ['contacts', 'import', file, '--map', 'score=score:number', '--clear-empty', '--dry-run']
  const { preview } = JSON.parse(await crmPrints([...words, '-o', 'json'], env))
  expect(preview.members).toContainEqual({ field: 'note', changes: [], others: 0, sum: null })
  expect((await crm(words, env)).stderr).toContain('Changes:\n  score: sum 0 → 2\nFor example:')
})

test('--limit and --sample change so many of the records, and a dry run names the same ones', async () => {
  const { service, env } = await start()
  for (const part of ['--limit', '--sample']) {
    const words = [...CHANGE, part, '2']
    const dry = JSON.parse(await crmPrints([...words, '--dry-run', '-o', 'json'], env))
    expect(dry).toMatchObject({ rows: 4, update: 2, skipped: 2 })
    const before = await all(service, '/v1/contacts')
    expect(await runJob([...words, '--yes'], env)).toMatchObject({ exit: 0, account: { rows: 4, done: 2, skipped: 2 } })
    const changed = (await all(service, '/v1/contacts')).filter(
      ({ id, version }) => version !== before.find((one) => one.id === id)?.version,
    )
    expect(changed.map(({ id }) => id).sort()).toEqual(dry.preview.samples.map(({ id }: { id: string }) => id).sort())
    await crmPrints(['contacts', 'update', '--where', '.company == "Ring"', '--set', 'company=Orbit', '--yes'], env)
  }
  expect(await crm([...CHANGE, '--limit', '1', '--sample', '1'], env)).toMatchObject({ exit: 2 })
  expect(await crm(['contacts', 'update', 'con_1', '--set', 'a=b', '--limit', '1'], env)).toMatchObject({ exit: 2 })
})

test('after a part of a file, the rest of the same file is not taken for done', async () => {
  const { service, env, folder, ids } = await start()
  const file = join(folder, 'changes.csv')
  writeFileSync(file, `id,company\n${ids.map((id) => `${id},Ring\n`).join('')}`)
  const words = ['contacts', 'update', '--from', file, '--yes']
  expect(await runJob([...words, '--limit', '2'], env)).toMatchObject({ account: { rows: 5, done: 2, skipped: 3 } })
  expect(await runJob(words, env)).toMatchObject({ exit: 0, account: { rows: 5, done: 3, unchanged: 2 } })
  expect((await all(service, '/v1/contacts')).map(({ company }) => company)).toEqual(ids.map(() => 'Ring'))
  expect((await all(service, '/v1/contacts')).every(({ version }) => version === 2)).toBe(true)
})

test('--snapshot-before keeps the records as they were, and does not overwrite a file', async () => {
  const { service, env, folder } = await start()
  const file = join(folder, 'before.jsonl')
  const before = (await all(service, '/v1/contacts')).filter(({ company }) => company !== 'Zen')
  expect(await runJob([...CHANGE, '--yes', '--snapshot-before', file], env)).toMatchObject({ exit: 0 })
  const kept = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(kept).toEqual(expect.arrayContaining(before.map((record) => expect.objectContaining(record))))
  expect(kept).toHaveLength(4)
  const again = ['contacts', 'delete', '--where', 'true', '--yes', '--expect', '5', '--snapshot-before', file]
  expect(await crm(again, env)).toMatchObject({ exit: 2, stderr: expect.stringContaining('already exists') })
  expect(await all(service, '/v1/contacts')).toHaveLength(5)
})

test('crm plan show pages through a plan, and refuses one that was changed', async () => {
  const { env, folder, ids } = await start()
  const plan = join(folder, 'a.plan')
  await crmPrints([...CHANGE, '--plan', plan], env)
  const shown = JSON.parse(await crmPrints(['plan', 'show', plan, '-o', 'json'], env))
  expect(shown).toHaveLength(4)
  expect(shown).toContainEqual({
    ...{ op: expect.any(Number), do: 'update', id: ids[0], line: null },
    ...{ fields: { company: 'Ring', score: 1 }, was: { company: 'Orbit', score: 0.1 }, reason: null },
  })
  const some = await crm(['plan', 'show', plan, '--where', `.id == "${ids[0]}"`, '-o', 'json'], env)
  expect(JSON.parse(some.stdout)).toHaveLength(1)
  expect(some.stderr).toContain('change 4, of 4 rows')
  writeFileSync(plan, readFileSync(plan, 'utf8').replace('Ring', 'Rong'))
  expect(await crm(['plan', 'show', plan], env)).toMatchObject({ exit: 2 })
  expect(existsSync(plan)).toBe(true)
})

test('crm plan show names the old and the new value of each member, and the summary of all', async () => {
  const { env, folder, ids } = await start()
  const [change, removal] = [join(folder, 'change.plan'), join(folder, 'removal.plan')]
  await crmPrints([...CHANGE, '--plan', change], env)
  const changes = await crm(['plan', 'show', change, '--where', `.id == "${ids[2]}"`], env)
  expect(changes.stdout).toContain('company: "Acme" → "Ring", score: 2.1 → 1')
  expect(changes.stderr).toContain('company: "Orbit" → "Ring" (3), "Acme" → "Ring" (1)')
  expect(changes.stderr).toContain('For example:\n  change con_')
  expect(changes.stderr).not.toContain('unknown')
  await crmPrints(['contacts', 'delete', '--where', '.company == "Zen"', '--plan', removal], env)
  const [removed] = JSON.parse(await crmPrints(['plan', 'show', removal, '-o', 'json'], env))
  expect(removed).toMatchObject({ do: 'delete', id: ids[4], fields: null, was: { email: 'p4@x.test', company: 'Zen' } })
})

test('crm apply shows and sends a plan with old values, and undo takes them back', async () => {
  const { service, env, folder } = await start()
  const plan = join(folder, 'a.plan')
  const before = await all(service, '/v1/contacts')
  await crmPrints([...CHANGE, '--plan', plan], env)
  const applied = await crm(['apply', plan, '--yes', '-o', 'json'], env)
  expect(applied).toMatchObject({ exit: 0, stderr: expect.stringContaining('sum 6.4 → 4') })
  expect((await all(service, '/v1/contacts')).filter(({ company }) => company === 'Ring')).toHaveLength(4)
  expect(await crm(['jobs', 'undo', JSON.parse(applied.stdout).job, '--yes'], env)).toMatchObject({ exit: 0 })
  const values = (records: typeof before) => records.map(({ id, company, score }) => [id, company, score]).sort()
  expect(values(await all(service, '/v1/contacts'))).toEqual(values(before))
})

test('crm plan show says of which records the old values are unknown', async () => {
  const { env, folder, ids } = await start()
  const plan = join(folder, 'a.plan')
  await crmPrints([...CHANGE, '--plan', plan], env)
  const lines = readFileSync(plan, 'utf8').trim().split('\n').slice(0, -1)
  const older = `${lines.map((line) => line.replace(/,"was":"(\\.|[^"\\])*"/, '')).join('\n')}\n`
  const end = { end: true, rows: 4, create: 0, update: 4, delete: 0, unchanged: 0, skipped: 0 }
  writeFileSync(plan, `${older}${JSON.stringify({ ...end, sha256: hash('sha256', older) })}\n`)
  const shown = await crm(['plan', 'show', plan], env)
  expect(shown.stdout).toContain(`${ids[0]}  company: unknown → "Ring", score: unknown → 1`)
  expect(shown.stderr).toContain('The current values of 4 of these records are not in the plan')
})

test('crm plan show names the columns of a plan, and what its computed members are made of', async () => {
  const { env, folder } = await start()
  const [rows, plan] = [join(folder, 'rows.csv'), join(folder, 'plan')]
  writeFileSync(rows, 'first,Email\nAda,ada@x.test\n')
  const words = ['contacts', 'import', rows, '--compute', 'name=.first + "!"', '--plan', plan]
  expect(await crm(words, env)).toMatchObject({ exit: 0 })
  const { stderr } = await crm(['plan', 'show', plan], env)
  expect(stderr).toContain('Columns: first, Email → email\nComputed: name=.first + "!"\n')
})
