import { expect, test } from 'vitest'
import { type DeliveringService, deliverForTest } from '../delivery/deliver-for-test.ts'
import { type Received, startReceiver } from '../delivery/receiver.ts'
import { serveForTest } from '../serve-for-test.ts'

const DEAL = '{"name":"Fleet","amount":1200.50,"stage":"Lead","owner_id":"u_1","x":{"a":1,"b":2}}'

async function withDeal() {
  const service = await serveForTest()
  const { json, text } = await service.send('POST', '/v1/deals', DEAL)
  return { ...service, path: `/v1/deals/${json.id}`, made: text }
}

test('a merge patch changes a deal: null removes, other members and digits stay', async () => {
  const { send, path } = await withDeal()
  const changed = await send('PATCH', path, { stage: 'Won', owner_id: null, x: { a: null, c: 3 } })
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"'])
  expect(changed.text).toContain(
    '"name":"Fleet","amount":1200.50,"stage":"Won","x":{"b":2,"c":3},"pipeline_id":"sales"',
  )
  expect(changed.json).not.toHaveProperty('owner_id')
  expect((await send('GET', path)).text).toBe(changed.text)
  expect((await send('GET', '/v1/deals?stage=Won')).text).toContain(changed.text)
  expect((await send('GET', '/v1/deals?stage=Lead')).json.data).toEqual([])
})

test.each([
  [{ stage: 'Nowhere' }, '#/stage', 'not_allowed'],
  [{ stage: null }, '#/stage', 'required'],
  [{ name: '' }, '#/name', 'empty'],
  [{ amount: '5' }, '#/amount', 'wrong_type'],
  [{ pipeline_id: 'x' }, '#/pipeline_id', 'not_allowed'],
  [{ version: 7 }, '#/version', 'read_only'],
])('the patch %j of a deal is rejected at %s: %s, and nothing changes', async (patch, pointer, code) => {
  const { send, path, made } = await withDeal()
  expect((await send('PATCH', path, patch)).json).toMatchObject({ status: 422, errors: [{ pointer, code }] })
  expect((await send('GET', path)).text).toBe(made)
})

test.each(['PATCH', 'DELETE'])('%s of a deal at another version is a 412 with the current one', async (method) => {
  const { send, path, made } = await withDeal()
  const body = method === 'PATCH' ? { stage: 'Won' } : undefined
  const refused = await send(method, path, body, { 'if-match': '"7"' })
  expect([refused.status, refused.json.code, refused.headers.get('etag')]).toEqual([412, 'precondition_failed', '"1"'])
  expect((await send('GET', path)).text).toBe(made)
  expect((await send(method, path, body, { 'if-match': '"1"' })).status).toBe(method === 'PATCH' ? 200 : 204)
})

test('a repeated PATCH of a deal with the same key has no second effect', async () => {
  const { send, path } = await withDeal()
  const once = () => send('PATCH', path, { stage: 'Won' }, { 'idempotency-key': 'k', 'if-match': '"1"' })
  const [first, again] = [await once(), await once()]
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
  const other = await send('PATCH', path, { stage: 'Lost' }, { 'idempotency-key': 'k' })
  expect(other.json).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
})

test('a deleted deal or note is gone, and deleting it again is a 404', async () => {
  const { send, path } = await withDeal()
  const notes = [await send('POST', `${path}/notes`, { body: 'a' }), await send('POST', `${path}/notes`, { body: 'b' })]
  const [gone, kept] = notes.map(({ json }) => `/v1/notes/${json.id}`)
  expect((await send('DELETE', `${gone}`, undefined, { 'if-match': '"2"' })).status).toBe(412)
  const deletion = await send('DELETE', `${gone}`)
  expect([deletion.status, deletion.text]).toEqual([204, ''])
  expect((await send('DELETE', `${gone}`)).status).toBe(404)
  expect((await send('GET', `${path}/notes`)).json.data).toMatchObject([{ body: 'b' }])
  expect((await send('DELETE', path)).status).toBe(204)
  for (const each of [path, `${kept}`]) expect((await send('DELETE', each)).status).toBe(404)
  expect((await send('GET', `${path}/notes`)).status).toBe(404)
  expect((await send('GET', '/v1/deals')).json.data).toEqual([])
})

interface Sent {
  readonly type: string
  readonly data: Record<string, unknown>
  readonly previous?: object
}

const eventIn = ({ body }: Received): Sent => JSON.parse(body.toString())

async function dealWithNotes({ send }: Pick<DeliveringService, 'send'>, bodies: readonly string[]) {
  const { json: deal } = await send('POST', '/v1/deals', DEAL)
  const notes = []
  for (const body of bodies) notes.push((await send('POST', `/v1/deals/${deal.id}/notes`, { body })).json)
  return { path: `/v1/deals/${deal.id}`, deal, notes }
}

test('deleting a deal sends one event for each of its notes, then its own, each with the last record', async () => {
  const receiver = await startReceiver()
  const service = await deliverForTest()
  const other = await dealWithNotes(service, ['other'])
  const { path, deal, notes } = await dealWithNotes(service, ['1', '2', '3'])
  const { id } = await service.subscribe(receiver.url, ['deal.deleted', 'note.deleted'])
  await service.send('DELETE', path)
  const log = await service.store.deliveries.log(id, { limit: 10, olderThanId: undefined })
  expect(log.entries.map(({ kind, recordId }) => [kind, recordId]).toReversed()).toEqual([
    ...notes.map((note) => ['note.deleted', note.id]),
    ['deal.deleted', deal.id],
  ])
  const sent = (await receiver.arrived(4)).map(eventIn)
  expect(sent.filter(({ type }) => type === 'note.deleted').map(({ data }) => data.body)).toEqual(
    expect.arrayContaining(['1', '2', '3']),
  )
  expect(sent.find(({ type }) => type === 'deal.deleted')?.data).toEqual(deal)
  expect((await service.send('GET', `${other.path}/notes`)).json.data).toMatchObject([{ body: 'other' }])
})

test('a changed deal and a deleted note have their events', async () => {
  const receiver = await startReceiver()
  const service = await deliverForTest()
  await service.subscribe(receiver.url, ['deal.*', 'note.deleted'])
  const { path, notes } = await dealWithNotes(service, ['1'])
  await service.send('PATCH', path, { stage: 'Won' })
  await service.send('DELETE', `/v1/notes/${notes[0]?.id}`)
  const sent = (await receiver.arrived(3)).map(eventIn)
  expect(sent.map(({ type }) => type).sort()).toEqual(['deal.created', 'deal.updated', 'note.deleted'])
  expect(sent.find(({ type }) => type === 'deal.updated')?.previous).toEqual({ stage: 'Lead' })
  expect(sent.find(({ type }) => type === 'note.deleted')?.data).toEqual(notes[0])
})

test('a refused deletion of a deal keeps its notes and sends nothing', async () => {
  const service = await deliverForTest()
  const { path, notes } = await dealWithNotes(service, ['1'])
  const { id } = await service.subscribe('http://127.0.0.1:9/', ['*'])
  expect((await service.send('DELETE', path, undefined, { 'if-match': '"9"' })).status).toBe(412)
  expect((await service.send('GET', `${path}/notes`)).json.data).toEqual(notes)
  expect((await service.store.deliveries.log(id, { limit: 9, olderThanId: undefined })).entries).toEqual([])
})

test('deleteDeal and deleteNote of GraphQL do what REST does', async () => {
  const service = await deliverForTest()
  const { deal, notes } = await dealWithNotes(service, ['1', '2'])
  const { id } = await service.subscribe('http://127.0.0.1:9/', ['*'])
  const query = `mutation ($deal: ID!, $note: ID!) {
    stale: deleteDeal(input: {id: $deal, ifVersion: 9}) { deletedId }
    deleteNote(input: {id: $note}) { deletedId }
    deleteDeal(input: {id: $deal}) { deletedId }
  }`
  const variables = { deal: deal.id, note: notes[0]?.id }
  const { json } = await service.send('POST', '/v1/graphql', { query, variables })
  expect(json).toMatchObject({
    data: { stale: null, deleteNote: { deletedId: notes[0]?.id }, deleteDeal: { deletedId: deal.id } },
    errors: [{ path: ['stale'], extensions: { status: 412 } }],
  })
  const { entries } = await service.store.deliveries.log(id, { limit: 9, olderThanId: undefined })
  expect(entries.map(({ kind }) => kind).toReversed()).toEqual(['note.deleted', 'note.deleted', 'deal.deleted'])
})
