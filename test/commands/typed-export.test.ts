import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { make } from '../harness/records.ts'
import { serviceHome } from './service-home.ts'

type Row = Record<string, unknown>

const PEOPLE = [
  { name: 'Ada', score: 7.5, vip: true, tags: ['a', 'b'], mixed: 1, zip: '0151', address: { city: 'Ulm' } },
  {
    name: 'Bea',
    score: -0.25,
    vip: false,
    tags: [],
    mixed: 'text, "quoted"',
    note: 'line\u2028end',
    'odd:number': 'x',
  },
  { name: 'Cid', mixed: { deep: [1] } },
]

const kept = ({ id: _, created_at: __, updated_at: ___, version: ____, ...rest }: Row) => rest

test.each(['csv', 'tsv'])(
  'numbers, booleans, lists and mixed values survive an export as %s with --types',
  async (format) => {
    const home = await serviceHome()
    const at = { url: home.service.url, key: home.service.key.text } as never
    await make(at, '/v1/contacts', PEOPLE)
    const before: Row[] = await home.json('contacts', 'list')
    const file = home.file(`people.${format}`, '')
    const { exit, stderr } = await home.crm('contacts', 'export', file, '--types')
    expect(exit, stderr).toBe(0)
    const [head = ''] = readFileSync(file, 'utf8').split(/\r?\n/, 1)
    for (const name of ['score:number', 'vip:boolean', 'tags:json', 'mixed:json', 'address:json', 'odd:number:text'])
      expect(head).toContain(name)
    expect(head).toMatch(/zip(?!:)/)
    // On its own server, the file changes nothing.
    expect(await home.json('contacts', 'import', file, '--dry-run')).toMatchObject({ unchanged: 3, update: 0 })
    const other = await serviceHome()
    const refused = await other.crm('contacts', 'import', file)
    expect(refused.stderr).toContain('if they are the ids of another server: --map id= leaves them out')
    const made = await other.json('contacts', 'import', file, '--map', 'id=')
    expect(made).toMatchObject({ done: 3 })
    const after: Row[] = await other.json('contacts', 'list')
    const byName = (rows: readonly Row[]) =>
      rows.map(kept).toSorted((one, two) => (String(one.name) < String(two.name) ? -1 : 1))
    expect(byName(after)).toEqual(byName(before))
  },
)

test('a header states a type only as NAME:TYPE, and a cell of another type is a finding', async () => {
  const { crm, json, file } = await serviceHome()
  const wrong = await crm('contacts', 'import', file('wrong.csv', 'name,score:number\nAda,many\n'))
  expect(wrong).toMatchObject({ exit: 2, stderr: expect.stringContaining('not a number in "score:number"') })
  await json('contacts', 'import', file('mapped.csv', 'name,score:number\nAda,7\n'), '--map', 'score:number=rank')
  expect(await json('contacts', 'list')).toMatchObject([{ name: 'Ada', rank: '7' }])
  expect(await crm('contacts', 'export', 'all.jsonl', '--types')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--types does not go with jsonl'),
  })
})

test('notes of all deals are exported with the ids of their deals, and imported again', async () => {
  const { service, crm, json, file } = await serviceHome()
  const at = { url: service.url, key: service.key.text } as never
  const deals = await make(at, '/v1/deals', [
    { name: 'One', stage: 'Lead' },
    { name: 'Two', stage: 'Lead' },
  ])
  for (const id of deals) await make(at, `/v1/deals/${id}/notes`, [{ body: `of ${id}` }, { body: 'Called' }])
  const path = file('notes.csv', '')
  expect(await crm('notes', 'export', path)).toMatchObject({ exit: 0, stderr: expect.stringContaining('4 notes in') })
  expect(await json('notes', 'import', path)).toMatchObject({ done: 4 })
  for (const id of deals) expect(await json('notes', 'list', id)).toHaveLength(4)
})
