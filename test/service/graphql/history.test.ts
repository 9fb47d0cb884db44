import { serverAudits } from 'graphql-http'
import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'
import { graphqlForTest } from './ask.ts'

const CHANGE = 'action resource recordId version fields old new keyName job isErased'

test('a record has its history, with values as they were written', async () => {
  const { ask, send } = await graphqlForTest()
  const { id } = (await send('POST', '/v1/deals', '{"name":"Fleet","stage":"Lead","amount":12500.50}')).json
  const update = 'mutation ($id: ID!) { updateDeal(input: {id: $id, stage: "Won"}) { deal { id } } }'
  expect((await ask(update, { id }, { 'crm-job': 'job_7' })).errors).toBeUndefined()
  const { data, text } = await ask(`query ($id: ID!) { deal(id: $id) { history { nodes { ${CHANGE} } } } }`, { id })
  const about = { resource: 'DEAL', recordId: id, keyName: 'test', isErased: false }
  expect(data.deal.history.nodes).toEqual([
    {
      ...{ ...about, action: 'UPDATED', version: 2, fields: ['stage'], job: 'job_7' },
      ...{ old: { stage: 'Lead' }, new: { stage: 'Won' } },
    },
    {
      ...{ ...about, action: 'CREATED', version: 1, fields: ['name', 'stage', 'amount', 'pipeline_id'], job: null },
      ...{ old: null, new: { name: 'Fleet', stage: 'Lead', amount: 12500.5, pipeline_id: 'sales' } },
    },
  ])
  expect(text).toContain('"amount":12500.50')
})

test('the history of all records is filtered as in REST, and each accepts the cursors of the other', async () => {
  const { ask, send } = await graphqlForTest()
  for (const name of ['Ada', 'Grace', 'Alan']) {
    await send('POST', '/v1/contacts', { name }, { 'crm-job': `job_${name}` })
  }
  const one = await ask('{ history(filter: {job: "job_Grace"}) { nodes { new } } }')
  expect(one.data.history.nodes).toEqual([{ new: { name: 'Grace' } }])
  const page = await ask(
    '{ history(first: 1, filter: {resource: CONTACT, madeBy: "test"}) { nodes { id } pageInfo { endCursor hasNextPage } } }',
  )
  const { endCursor, hasNextPage } = page.data.history.pageInfo
  expect(hasNextPage).toBe(true)
  const rest = await send('GET', `/v1/history?resource=contact&made_by=test&cursor=${endCursor}`)
  expect((rest.json.data as object[]).map((change) => (change as { new: object }).new)).toEqual([
    { name: 'Grace' },
    { name: 'Ada' },
  ])
  const unknown = await ask('{ history(filter: {madeBy: "nobody"}) { nodes { id } } }')
  expect(unknown.errors?.[0]).toMatchObject({ extensions: { code: 'invalid_parameter', status: 400 } })
})

test('all 61 audits of GraphQL over HTTP pass, also the warnings', async () => {
  const { url, key } = await serveForTest()
  const audits = serverAudits({
    url: `${url}/v1/graphql`,
    fetchFn: (address: string, init: RequestInit = {}) =>
      fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${key.text}` } }),
  })
  const failed: string[] = []
  for (const audit of audits) {
    const result = await audit.fn()
    if (result.status !== 'ok') failed.push(`${result.status}: ${result.name}: ${result.reason}`)
  }
  expect(audits).toHaveLength(61)
  expect(failed).toEqual([])
})
