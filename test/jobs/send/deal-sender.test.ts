import { expect, onTestFinished, test } from 'vitest'
import { isFailure } from '../../../src/api/errors/failure.ts'
import { createSender } from '../../../src/api/writes/sender.ts'
import { createDealSender } from '../../../src/jobs/send/deal-mutations.ts'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { CRM, SERVER_TERMS } from '../../api/client-fixture.ts'

const UPDATES = {
  path: '/v1/graphql',
  query: 'mutation ($input: UpdateDealInput!) { updateDeal(input: $input) { deal { json } } }',
  place: ['updateDeal', 'deal'],
}

/** What a change of a deal comes to when GraphQL answers so. */
async function changed(
  status: number,
  answer: object,
  members: readonly string[] = ['id', 'json'],
  body = '{"owner_id":null,"stage":"Won"}',
) {
  const { url, seen } = await startServer((response) => sendJson(response, status, answer))
  const options = {
    baseUrl: url,
    key: 'crm_key_of_the_test',
    terms: SERVER_TERMS,
    connector: CRM(url, SERVER_TERMS),
    timeoutMs: 5000,
    userAgent: 'crm/0.0.0',
  }
  const sender = createSender({ ...options, now: Date.now, debug: undefined, env: {}, connections: 1 })
  onTestFinished(() => sender.close())
  const outcome = await createDealSender(sender, { ...UPDATES, members }).send({
    ...({ kind: 'update', resource: 'deal', id: 'deal_1' } as const),
    ...{ body: Buffer.from(body) },
    ...{ idempotencyKey: 'key', ifMatch: '3', action: 'update deal_1' },
  })
  return { outcome, seen }
}

const DEAL = { id: 'deal_1', stage: 'Won' }

test('a change goes out as a mutation under the key of its row, and the deal is returned as by an endpoint', async () => {
  const { outcome, seen } = await changed(200, { data: { updateDeal: { deal: { json: DEAL } } } })
  expect(outcome).toMatchObject({ status: 200, json: DEAL })
  expect(seen).toMatchObject([{ method: 'POST', path: '/v1/graphql', headers: { 'idempotency-key': 'key' } }])
  const { query, variables } = JSON.parse(String(seen[0]?.body))
  expect({ query, variables }).toEqual({
    query: UPDATES.query,
    variables: { input: { id: 'deal_1', json: { owner_id: null, stage: 'Won' } } },
  })
})

test('a server that accepts members one by one receives them under its names', async () => {
  const { seen } = await changed(200, { data: { updateDeal: { deal: DEAL } } }, ['id', 'stage', 'ownerId'])
  expect(JSON.parse(String(seen[0]?.body)).variables).toEqual({
    input: { id: 'deal_1', ownerId: null, stage: 'Won' },
  })
})

test('a server that compares versions receives the one of the row', async () => {
  const { seen } = await changed(200, { data: { updateDeal: { deal: DEAL } } }, ['id', 'json', 'ifVersion'])
  expect(JSON.parse(String(seen[0]?.body)).variables.input).toMatchObject({ id: 'deal_1', ifVersion: 3 })
  expect(seen[0]?.headers).not.toHaveProperty('if-match')
})

test('a member id in a change is refused, and does not take the place of the id of the deal', async () => {
  await expect(changed(200, {}, ['id', 'stage'], '{"id":"deal_2","stage":"Won"}')).rejects.toThrow(
    'this server cannot change id of a deal',
  )
})

test.each([
  [
    'values that are refused',
    { code: 'invalid_values', status: 422 },
    { rule: 'never', status: 422, isInDoubt: false },
  ],
  ['a deal that is gone', { code: 'NOT_FOUND' }, { code: 'not_found', rule: 'never', status: 404 }],
  ['a limit', { code: 'RATE_LIMITED' }, { code: 'rate_limited', rule: 'patient', isInDoubt: false }],
  ['a key that is under way', { code: 'idempotency_in_progress', status: 409 }, { rule: 'patient', status: 409 }],
  ['a failure of its own', { code: 'INTERNAL_SERVER_ERROR' }, { code: 'server_error', rule: 'few', isInDoubt: true }],
  ['a key that is not taken', { code: 'UNAUTHENTICATED' }, { code: 'unauthorized', rule: 'never' }],
])('%s, reported with status 200, is the failure that it would be elsewhere', async (_, extensions, failure) => {
  const { outcome } = await changed(200, { data: { updateDeal: null }, errors: [{ message: 'no', extensions }] })
  expect(isFailure(outcome)).toBe(true)
  expect(outcome).toMatchObject({ reason: 'no', ...failure })
})

test('a response that is not GraphQL leaves the change in doubt, and an outage stays one', async () => {
  expect((await changed(200, { hello: 1 })).outcome).toMatchObject({ code: 'in_doubt', isInDoubt: true, rule: 'never' })
  const refused = {
    errors: [{ message: 'no', extensions: { code: 'invalid_values', errors: [{ pointer: '/stage' }] } }],
  }
  expect((await changed(422, refused)).outcome).toMatchObject({
    status: 422,
    reason: 'no',
    field: 'stage',
    rule: 'never',
  })
  expect((await changed(500, { errors: [{ message: 'x' }] })).outcome).toMatchObject({ status: 500, rule: 'few' })
})

test('a record beside errors proves the change, and another deal does not', async () => {
  const errors = [{ message: 'owner cannot be shown', path: ['updateDeal', 'deal', 'owner'] }]
  const shown = await changed(200, { data: { updateDeal: { deal: { json: DEAL } } }, errors })
  expect(shown.outcome).toMatchObject({ status: 200, json: DEAL })
  const other = await changed(200, { data: { updateDeal: { deal: { json: { ...DEAL, id: 'deal_2' } } } } })
  expect(other.outcome).toMatchObject({ code: 'in_doubt', isInDoubt: true })
})
