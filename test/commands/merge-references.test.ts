import { expect, test } from 'vitest'
import { make } from '../harness/records.ts'
import { serviceHome } from './service-home.ts'

type Row = Record<string, unknown>

/** Where records name others: of each object the records, the oldest first. */
async function referring() {
  const home = await serviceHome()
  const service = { url: home.service.url, key: home.service.key.text } as never
  const rows = async (noun: string): Promise<Row[]> => (await home.json(noun, 'list')).toReversed()
  /** The values of a member, with names in place of the ids of this object. */
  const named = async (noun: string, member: string, of: string) => {
    const names = new Map((await rows(of)).map(({ id, name }) => [id, name]))
    const nameOf = (id: unknown) => (id === null || id === undefined ? '' : (names.get(id) ?? 'gone'))
    return (await rows(noun)).map(({ [member]: value }) => (Array.isArray(value) ? value.map(nameOf) : nameOf(value)))
  }
  return { ...home, make: (path: string, bodies: readonly Row[]) => make(service, path, bodies), named }
}

async function threePeople() {
  const home = await referring()
  const [ada, twice, bea] = await home.make('/v1/contacts', [{ name: 'Ada' }, { name: 'Ada L.' }, { name: 'Bea' }])
  await home.make('/v1/deals', [
    { name: 'D1', stage: 'Lead', contact_ids: [twice] },
    { name: 'D2', stage: 'Lead', contact_ids: [bea, twice, ada] },
    { name: 'D3', stage: 'Lead', contact_ids: [bea] },
  ])
  await home.make('/v1/tasks', [{ title: 'T1', contact_id: twice }, { title: 'T2', contact_id: bea }, { title: 'T3' }])
  const state = async () => [
    await home.named('deals', 'contact_ids', 'contacts'),
    await home.named('tasks', 'contact_id', 'contacts'),
  ]
  return { ...home, ids: [ada ?? '', twice ?? '', bea ?? ''], state }
}

const APART = [
  [['Ada L.'], ['Bea', 'Ada L.', 'Ada'], ['Bea']],
  ['Ada L.', 'Bea', ''],
]
const TOGETHER = [
  [['Ada'], ['Bea', 'Ada'], ['Bea']],
  ['Ada', 'Bea', ''],
]

test('deals and tasks of a loser go to the winner, as the plan shows, and one undo gives them back under its new id', async () => {
  const { crm, json, ids, state } = await threePeople()
  const [ada = '', twice = ''] = ids
  const words = ['contacts', 'merge', ada, twice]
  expect(await json(...words, '--dry-run')).toMatchObject({ delete: 1, repointed: 3, requests: 4 })
  const shown = await crm(...words)
  expect(shown.exit).toBe(11)
  expect(shown.stderr).toContain('First, 2 deals re-pointed to the winners (contact_ids):')
  expect(shown.stderr).toContain('First, 1 task re-pointed to the winners (contact_id):')
  expect(shown.stderr).toContain(`contact_id: "${twice}" → "${ada}" (1)`)
  expect(shown.stderr).toContain('deleting 1 contact (2 deals, 1 task are re-pointed first)')
  expect(await state()).toEqual(APART)

  const { job, ...account } = await json(...words, '--yes')
  expect(account).toMatchObject({ failed: 0, in_doubt: 0, repointed: 3 })
  expect(await state()).toEqual(TOGETHER)
  const { needs } = await json('jobs', 'show', job)
  expect(needs).toHaveLength(2)
  expect(await json('jobs', 'show', needs[1])).toMatchObject({ kind: 'repoint', noun: 'tasks', done: 1 })

  expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ failed: 0, repointed: 3 })
  expect(await state()).toEqual(APART)
})

test('a deal that has another contact by the undo keeps it', async () => {
  const { crm, json, ids, state } = await threePeople()
  const [ada = '', twice = '', bea = ''] = ids
  const { job } = await json('contacts', 'merge', ada, twice, '--yes')
  const [deal] = (await json('deals', 'list')).filter(({ name }: Row) => name === 'D1')
  await json('deals', 'update', deal.id, '--set', `contact_ids:=${JSON.stringify([bea])}`)
  const undo = await crm('jobs', 'undo', job, '--yes')
  expect([undo.exit, undo.stderr]).toEqual([3, expect.stringContaining('contact_ids')])
  expect(await state()).toEqual([[['Bea'], ['Bea', 'Ada L.', 'Ada'], ['Bea']], APART[1]])
})

test('after its undo a merge is planned anew, with what names the loser by then', async () => {
  const { crm, json, ids, state } = await threePeople()
  const [ada = '', twice = ''] = ids
  const { job } = await json('contacts', 'merge', ada, twice, '--yes')
  await json('jobs', 'undo', job, '--yes')
  const again = (await json('contacts', 'list')).find(({ name }: Row) => name === 'Ada L.')
  const { id } = (await json('tasks', 'list')).find(({ title }: Row) => title === 'T3')
  expect(await state()).toEqual(APART)
  await json('tasks', 'update', id, '--set', `contact_id=${again.id}`)
  expect(await json('contacts', 'merge', ada, again.id, '--yes')).toMatchObject({ repointed: 4 })
  expect(await state()).toEqual([TOGETHER[0], ['Ada', 'Bea', 'Ada']])
  expect((await crm('contacts', 'get', again.id)).exit).toBe(6)
})

test('contacts and tasks of a company that is merged go to the other one, and the undo gives them back', async () => {
  const { json, make: made, named } = await referring()
  const [acme = '', twice = ''] = await made('/v1/companies', [{ name: 'Acme' }, { name: 'Acme Ltd' }])
  await made('/v1/contacts', [
    { name: 'Ada', company_id: twice },
    { name: 'Bea', company_id: acme },
  ])
  await made('/v1/tasks', [{ title: 'T1', company_id: twice }])
  const state = async () => [
    ...(await named('contacts', 'company_id', 'companies')),
    ...(await named('tasks', 'company_id', 'companies')),
  ]
  const { job, repointed } = await json('companies', 'merge', acme, twice, '--yes')
  expect(repointed).toBe(2)
  expect(await state()).toEqual(['Acme', 'Acme', 'Acme'])
  expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ repointed: 2 })
  expect(await state()).toEqual(['Acme Ltd', 'Acme', 'Acme Ltd'])
})
