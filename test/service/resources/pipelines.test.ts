import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

test('stages are listed by position, in the envelope of a list', async () => {
  const { send } = await serveForTest()
  const { json } = await send('GET', '/v1/pipelines/sales/stages')
  expect(json).toMatchObject({ next_cursor: null, has_more: false })
  const stages = json.data as { name: string; position: number }[]
  expect(stages.map((stage) => stage.name)).toEqual(['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'])
  expect(stages[0]).toEqual({ id: 'sales.lead', name: 'Lead', position: 1, probability: 0.1 })
})

test('stages are paged like every list', async () => {
  const { send } = await serveForTest()
  const first = await send('GET', '/v1/pipelines/sales/stages?limit=4')
  const rest = await send('GET', `/v1/pipelines/sales/stages?limit=4&cursor=${first.json.next_cursor}`)
  expect(rest.json).toMatchObject({ data: [{ name: 'Won' }, { name: 'Lost' }], next_cursor: null, has_more: false })
})

test('a stage without a probability has no such member', async () => {
  const { send, store } = await serveForTest()
  const stage = { id: 'p.a', name: 'A', position: 1, probability: undefined }
  await store.putPipelines([{ id: 'p', name: 'P', stages: [stage] }])
  expect((await send('GET', '/v1/pipelines/p/stages')).json.data).toEqual([{ id: 'p.a', name: 'A', position: 1 }])
})

test('an unknown pipeline is not found', async () => {
  const { send } = await serveForTest()
  expect((await send('GET', '/v1/pipelines/none/stages')).json).toMatchObject({ status: 404, code: 'not_found' })
})

test('pipelines are listed with the default one first, page by page', async () => {
  const { send, store } = await serveForTest()
  const stages = [{ id: 's', name: 'A', position: 1, probability: undefined }]
  await store.putPipelines(['z', 'b', 'a'].map((id) => ({ id, name: `${id}!`, stages })))
  const first = await send('GET', '/v1/pipelines?limit=2')
  expect(first.json).toMatchObject({ data: [{ id: 'z', name: 'z!' }, { id: 'b' }], has_more: true })
  expect(first.headers.get('link')).toBe(`</v1/pipelines?limit=2&cursor=${first.json.next_cursor}>; rel="next"`)
  const rest = await send('GET', `/v1/pipelines?limit=2&cursor=${first.json.next_cursor}`)
  expect(rest.json).toEqual({ data: [{ id: 'a', name: 'a!' }], next_cursor: null, has_more: false })
  const after = { query: 'query ($after: String) { pipelines(after: $after) { nodes { id name } } }' }
  const { json } = await send('POST', '/v1/graphql', { ...after, variables: { after: first.json.next_cursor } })
  expect(json.data).toEqual({ pipelines: { nodes: [{ id: 'a', name: 'a!' }] } })
})
