import { expect, test } from 'vitest'
import { make } from '../harness/records.ts'
import { restoredMembers } from '../harness/restored.ts'
import { ofContacts } from '../service/store/samples.ts'
import { serviceHome } from './service-home.ts'

type Row = Record<string, unknown>

async function withContacts(...rows: readonly Row[]) {
  const home = await serviceHome()
  const ids = await make({ url: home.service.url, key: home.service.key.text } as never, '/v1/contacts', rows)
  const list = (): Promise<Row[]> => home.json('contacts', 'list')
  const groups = (...all: readonly (readonly number[])[]) =>
    home.file('groups.jsonl', all.map((group) => `${JSON.stringify({ ids: group.map((at) => ids[at]) })}\n`).join(''))
  return { ...home, ids, list, groups }
}

const ADA = { name: 'Ada', email: 'ada@x.test', tags: ['a'] }
const ADA_TWICE = { name: 'Ada Lovelace', phone: '1', tags: ['b', 'a'], memo: 'met; called' }

test('a merge fills the winner, deletes the loser, and one undo restores both', async () => {
  const { crm, json, ids, list } = await withContacts(ADA, ADA_TWICE, { name: 'Grace' })
  const before = await list()
  const [winner = '', loser = ''] = ids
  const { exit, stdout, stderr } = await crm('contacts', 'merge', winner, loser, '--yes', '-o', 'json')
  expect(exit, stderr).toBe(0)
  expect(stderr).toContain('No record names a loser: contact_ids of deals; contact_id of tasks.\n')
  expect(stderr).toContain('new values of id, created_at, updated_at and version.\n')
  const { job, ...account } = JSON.parse(stdout)
  expect(account).toMatchObject({ rows: 2, done: 2 })
  const after = await list()
  expect(after).toHaveLength(2)
  expect(after[1]).toMatchObject({ ...ADA, id: winner, phone: '1', memo: 'met; called', version: 2 })
  expect(await json('jobs', 'show', job)).toMatchObject({ kind: 'merge', state: 'finished' })
  expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ done: 2 })
  expect(restoredMembers(await list())).toEqual(restoredMembers(before))
})

test('where emails are unique, a winner takes that of a loser when the loser is deleted, and the undo gives it back first', async () => {
  const home = await withContacts({ name: 'Ada' }, { ...ADA_TWICE, email: 'ada@x.test' }, { name: 'Ada L.', memo: 'x' })
  const { service, json, ids, list } = home
  await service.store.putUniqueMembers(ofContacts('email'))
  const before = await list()
  const { job, ...account } = await json('contacts', 'merge', ...ids, '--yes', '--expect', '2')
  expect(account).toMatchObject({ rows: 4, done: 4, failed: 0 })
  expect(await list()).toMatchObject([{ id: ids[0], name: 'Ada', email: 'ada@x.test', phone: '1', version: 3 }])
  const undo = await json('jobs', 'undo', job, '--yes')
  expect(undo).toMatchObject({ done: 4, failed: 0 })
  expect(restoredMembers(await list())).toEqual(restoredMembers(before))
  expect(await json('jobs', 'undo', undo.job, '--yes', '--expect', '2')).toMatchObject({ done: 4, failed: 0 })
  expect(await list()).toMatchObject([{ id: ids[0], email: 'ada@x.test', phone: '1' }])
})

test('where phones are unique, --unique phone merges, and without it nothing is changed; the undo gives the phone back', async () => {
  const loser = { ...ADA_TWICE, email: 'ada@x.test' }
  const { service, crm, json, ids, list } = await withContacts({ name: 'Ada' }, loser, { name: 'Ada L.', memo: 'x' })
  await service.store.putUniqueMembers(ofContacts('email', 'phone'))
  const before = await list()
  const words = ['contacts', 'merge', ...ids, '--yes', '--expect', '2']
  const refused = await crm(...words)
  expect(refused).toMatchObject({ exit: 3, stderr: expect.stringContaining('1 × conflict in phone') })
  expect(refused.stderr).toContain('--unique phone')
  expect(await list()).toEqual(before)
  expect(await crm(...words, '--unique', 'phone', '--losers', 'mark=gone')).toMatchObject({ exit: 2 })
  const { job, ...account } = await json(...words, '--unique', 'phone')
  expect(account).toMatchObject({ rows: 4, done: 4, failed: 0 })
  expect(await list()).toMatchObject([{ id: ids[0], name: 'Ada', email: 'ada@x.test', phone: '1', memo: 'x' }])
  expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ done: 4, failed: 0 })
  expect(restoredMembers(await list())).toEqual(restoredMembers(before))
})

test('where emails are unique, a marked loser keeps its email, so that its winner is refused, and neither is changed', async () => {
  const { service, crm, json, ids, list } = await withContacts({ name: 'Ada' }, { name: 'Ada', email: 'ada@x.test' })
  await service.store.putUniqueMembers(ofContacts('email'))
  const marked = await crm('contacts', 'merge', ...ids, '--losers', 'mark=merged_into', '--yes')
  expect(marked.exit).toBe(3)
  expect(await list()).toMatchObject([
    { id: ids[1], email: 'ada@x.test' },
    { id: ids[0], version: 1 },
  ])
  expect(await json('contacts', 'merge', ...ids, '--yes')).toMatchObject({ rows: 2, done: 2 })
  expect(await list()).toMatchObject([{ id: ids[0], email: 'ada@x.test' }])
})

test('each rule chooses its value: the newest, the longest, the winner’s, or all of them', async () => {
  const { json, ids, list } = await withContacts({ ...ADA, memo: 'Called' }, ADA_TWICE)
  const rules = ['name=longest', 'tags=union', 'memo=union', '*=newest'].flatMap((rule) => ['--rule', rule])
  await json('contacts', 'merge', ...ids, ...rules, '--yes')
  expect(await list()).toMatchObject([
    { id: ids[0], name: 'Ada Lovelace', email: 'ada@x.test', phone: '1', tags: ['a', 'b'], memo: 'Called; met' },
  ])
})

test('losers that are marked stay, with the id of their winner', async () => {
  const { json, ids, list } = await withContacts(ADA, ADA_TWICE)
  await json('contacts', 'merge', ...ids, '--losers', 'mark=merged_into', '--yes')
  expect(await list()).toMatchObject([
    { id: ids[1], name: 'Ada Lovelace', merged_into: ids[0] },
    { id: ids[0], name: 'Ada' },
  ])
})

test('a merge of a file shows its plan, asks for the count, and is the same job again', async () => {
  const { crm, json, groups, list } = await withContacts(
    ADA,
    ADA_TWICE,
    { name: 'Bea' },
    { name: 'Bea' },
    { name: 'Bea', phone: '2' },
  )
  const file = groups([0, 1], [2, 3, 4])
  const words = ['contacts', 'merge', '--from', file]
  const plan = await json(...words, '--dry-run')
  expect(plan).toMatchObject({ dry_run: true, update: 2, delete: 3, requests: 5 })
  expect(await list()).toHaveLength(5)
  const unconfirmed = await crm(...words)
  expect(unconfirmed).toMatchObject({ exit: 11, stderr: expect.stringContaining('--yes --expect 3') })
  expect(await json(...words, '--yes', '--expect', '3')).toMatchObject({ done: 5 })
  const again = await crm(...words, '--yes', '--expect', '3')
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('has already done this') })
})

test('after its undo a merge is planned anew, and takes effect again', async () => {
  const { json, ids, list } = await withContacts(ADA, ADA_TWICE)
  const words = ['contacts', 'merge', ...ids, '--losers', 'mark=merged_into', '--yes']
  const { job } = await json(...words)
  await json('jobs', 'undo', job, '--yes')
  expect((await list())[0]).not.toHaveProperty('merged_into')
  expect(await json(...words)).toMatchObject({ done: 2 })
  expect((await list())[0]).toMatchObject({ merged_into: ids[0] })
})

test('a loser whose winner cannot be changed is not deleted, and a retry keeps the order', async () => {
  const { crm, json, ids, list, service } = await withContacts(ADA, ADA_TWICE)
  const plan = `${service.url.slice(-5)}.plan`
  const file = (await import('node:path')).join((await import('../harness/home.ts')).tempFolder(), plan)
  await crm('contacts', 'merge', ...ids, '--plan', file)
  await json('contacts', 'update', ids[0] ?? '', '--set', 'name=Changed')
  const refused = await crm('apply', file, '--yes')
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining('was changed') })
  const sent = await crm('apply', file, '--allow-drift', '--yes', '-o', 'json')
  expect(sent.exit, sent.stderr).toBe(3)
  const { job } = JSON.parse(sent.stdout)
  expect(await json('jobs', 'failed', job)).toMatchObject([
    { op: 0, code: 'precondition_failed' },
    { op: 1, code: 'not_sent', reason: 'operation 0, which comes first, has failed' },
  ])
  expect(await list()).toHaveLength(2)
  expect(await json('jobs', 'retry', job, '--yes')).toMatchObject({ done: 2 })
  expect(await list()).toMatchObject([{ id: ids[0], name: 'Changed', phone: '1' }])
})

test('a loser that was changed after the plan is not deleted', async () => {
  const { crm, json, ids, list } = await withContacts(ADA, ADA_TWICE)
  const file = (await import('node:path')).join((await import('../harness/home.ts')).tempFolder(), 'merge.plan')
  await crm('contacts', 'merge', ...ids, '--plan', file)
  await json('contacts', 'update', ids[1] ?? '', '--set', 'phone=2')
  const { exit } = await crm('apply', file, '--allow-drift', '--yes')
  expect(exit).toBe(3)
  expect(await list()).toMatchObject([{ id: ids[1], phone: '2' }, { id: ids[0] }])
})

test('mistakes in a file are named with their lines, and nothing is sent', async () => {
  const { crm, file, ids, list } = await withContacts(ADA, ADA_TWICE)
  const lines = [
    `{"ids":["${ids[0]}","${ids[1]}"]}`,
    `{"ids":["${ids[0]}"]}`,
    'x',
    `{"winner":"w","ids":["a","b"]}`,
    `{"ids":["c","${ids[1]}"]}`,
  ]
  const path = file('bad.jsonl', lines.join('\n'))
  const { exit, stderr } = await crm('contacts', 'merge', '--from', path, '--yes')
  expect(exit).toBe(2)
  for (const text of [
    'line 2: expected two ids',
    'line 3: it is not JSON',
    'line 4: the winner "w"',
    'is also in line 1',
  ])
    expect(stderr).toContain(text)
  expect(stderr).toContain('4 errors in')
  const unknown = await crm('contacts', 'merge', ids[0] ?? '', 'con_none', '--yes')
  expect(unknown).toMatchObject({ exit: 6, stderr: expect.stringContaining('con_none') })
  const alone = await crm('contacts', 'merge', ids[0] ?? '')
  expect(alone).toMatchObject({ exit: 2, stderr: expect.stringContaining('WINNER LOSER...') })
  const rule = await crm('contacts', 'merge', ...ids, '--rule', 'name=best')
  expect(rule).toMatchObject({ exit: 2, stderr: expect.stringContaining('winner, newest, longest, union') })
  expect(await list()).toHaveLength(2)
})

test('the groups that duplicates prints are what merge reads', async () => {
  const { crm, json, file, list } = await withContacts(ADA, { ...ADA_TWICE, email: 'ADA@x.test' })
  const { stdout } = await crm('contacts', 'duplicates', '--by', 'email', '-o', 'jsonl')
  expect(await json('contacts', 'merge', '--from', file('groups.jsonl', stdout), '--yes')).toMatchObject({
    done: 1,
    unchanged: 1,
  })
  expect(await list()).toMatchObject([{ name: 'Ada Lovelace', phone: '1' }])
})
