import { expect, test } from 'vitest'
import type { Store } from '../../../src/service/store/store.ts'
import { type Ask, graphqlForTest } from './ask.ts'

async function subscribed(): Promise<{ ask: Ask; store: Store; webhook: { id: string; secret: string } }> {
  const service = await graphqlForTest()
  const { data } = await service.ask(
    'mutation { createWebhook(input: {url: "http://127.0.0.1:9/", events: ["*"]}) { secret webhook { id json } } }',
  )
  const { secret, webhook } = data.createWebhook
  expect(JSON.stringify(webhook.json)).not.toContain('whsec_')
  return { ...service, webhook: { id: webhook.id, secret } }
}

async function kinds({ ask, webhook }: { ask: Ask; webhook: { id: string } }): Promise<string[]> {
  const { data } = await ask('query ($id: ID!) { webhook(id: $id) { deliveries { nodes { kind } } } }', webhook)
  return data.webhook.deliveries.nodes.map(({ kind }: { kind: string }) => kind).toReversed()
}

test('a contact is created, changed and deleted, with the events of REST', async () => {
  const service = await subscribed()
  const { ask } = service
  const created = await ask(
    `mutation ($json: JSON) { createContact(input: {name: "Ada", ownerId: "u_1", json: $json}) { contact { id json } } }`,
    { json: { nickname: 'Countess', tags: ['a', { b: 1 }] } },
  )
  const { id, json } = created.data.createContact.contact
  expect(json).toMatchObject({
    id,
    name: 'Ada',
    owner_id: 'u_1',
    nickname: 'Countess',
    tags: ['a', { b: 1 }],
    version: 1,
  })
  const updated = await ask(
    `mutation ($id: ID!) { updateContact(input: {id: $id, ifVersion: 1, name: null, json: {tags: ["c"], nickname: null}}) {
      contact { version json } } }`,
    { id },
  )
  expect(updated.data.updateContact.contact).toMatchObject({ version: 2, json: { owner_id: 'u_1', tags: ['c'] } })
  expect(Object.keys(updated.data.updateContact.contact.json)).not.toContain('name')
  const deletion = 'mutation ($id: ID!) { deleteContact(input: {id: $id, ifVersion: 2}) { deletedId } }'
  expect((await ask(deletion, { id })).data).toEqual({ deleteContact: { deletedId: id } })
  expect((await ask(deletion, { id })).errors?.[0]?.extensions).toMatchObject({ code: 'not_found', status: 404 })
  expect(await kinds(service)).toEqual(['contact.created', 'contact.updated', 'contact.deleted'])
})

test('updateDeal moves a deal, filters find it, and deal.updated has the previous values', async () => {
  const service = await subscribed()
  const { ask, webhook, store } = service
  const { data } = await ask(
    'mutation { createDeal(input: {name: "Fleet", stage: "Lead", amount: 12345678901234567890.5}) { deal { id amount pipelineId } } }',
  )
  const { id, pipelineId } = data.createDeal.deal
  expect(pipelineId).toBe('sales')
  const updated = await ask(
    'mutation ($id: ID!) { updateDeal(input: {id: $id, stage: "Won", ownerId: "u_1", amount: null}) { deal { stage version amount } } }',
    { id },
  )
  expect(updated.data.updateDeal.deal).toEqual({ stage: 'Won', version: 2, amount: null })
  const won = await ask('{ deals(filter: {stage: ["Won"], ownerId: ["u_1"]}) { nodes { id } } }')
  expect(won.data.deals.nodes).toEqual([{ id }])
  expect(await kinds(service)).toEqual(['deal.created', 'deal.updated'])
  const turn = { results: [], renewals: [], leaseMs: 1000, slots: 9, slotsOf: () => 9 }
  const { claimed } = await store.deliveries.turn(turn)
  const results = claimed.map((claim) => ({ claim, outcome: { type: 'succeeded', status: 200 } as const }))
  const [next] = (await store.deliveries.turn({ ...turn, results })).claimed
  expect(next?.webhookId).toBe(webhook.id)
  expect(next?.text).toContain('"previous":{"amount":12345678901234567890.5,"stage":"Lead","owner_id":null}')
})

test.each([
  ['stage: "Nowhere"', '#/stage', 'not_allowed'],
  ['stage: null', '#/stage', 'required'],
  ['name: ""', '#/name', 'empty'],
  ['name: null', '#/name', 'required'],
  ['pipelineId: "x"', '#/pipeline_id', 'not_allowed'],
  ['pipelineId: null', '#/pipeline_id', 'required'],
  ['json: {amount: "5"}', '#/amount', 'wrong_type'],
  ['json: {id: "deal_1"}', '#/id', 'read_only'],
  ['stage: "Won", json: {stage: "Lost"}', '#/stage', 'ambiguous'],
  ['json: [1]', '#', 'wrong_type'],
])('updateDeal with %s is rejected: %s %s', async (member, pointer, code) => {
  const { ask } = await graphqlForTest()
  const { data } = await ask('mutation { createDeal(input: {name: "Fleet", stage: "Lead"}) { deal { id } } }')
  const { id } = data.createDeal.deal
  const { errors } = await ask(`mutation ($id: ID!) { updateDeal(input: {id: $id, ${member}}) { deal { id } } }`, {
    id,
  })
  expect(errors?.[0]).toMatchObject({
    path: ['updateDeal'],
    extensions: { code: 'invalid_values', status: 422, errors: [{ pointer, code }] },
  })
  expect((await ask('query ($id: ID!) { deal(id: $id) { version stage } }', { id })).data.deal).toEqual({
    version: 1,
    stage: 'Lead',
  })
})

test('another version is rejected, for changes and deletions', async () => {
  const { ask } = await subscribed()
  const made = await ask(`mutation {
    createContact(input: {name: "a"}) { contact { id } }
    createDeal(input: {name: "a", stage: "Lead"}) { deal { id } }
    createWebhook(input: {url: "http://127.0.0.1:9/", events: ["*"]}) { webhook { id } }
  }`)
  const { createContact, createDeal, createWebhook } = made.data
  for (const [field, id] of [
    ['updateContact', createContact.contact.id],
    ['updateDeal', createDeal.deal.id],
    ['deleteContact', createContact.contact.id],
    ['deleteWebhook', createWebhook.webhook.id],
  ]) {
    const payload = field.startsWith('delete') ? 'deletedId' : '__typename'
    const refused = await ask(`mutation ($id: ID!) { ${field}(input: {id: $id, ifVersion: 2}) { ${payload} } }`, { id })
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'precondition_failed', status: 412 })
  }
})

test('a note is added to its deal, and to no other', async () => {
  const service = await subscribed()
  const { data } = await service.ask('mutation { createDeal(input: {name: "a", stage: "Lead"}) { deal { id } } }')
  const mutation =
    'mutation ($id: ID!) { createNote(input: {dealId: $id, body: "call", authorId: "u_1"}) { note { json deal { id } } } }'
  const note = await service.ask(mutation, data.createDeal.deal)
  expect(note.data.createNote.note).toMatchObject({
    json: { deal_id: data.createDeal.deal.id, body: 'call', author_id: 'u_1' },
    deal: { id: data.createDeal.deal.id },
  })
  const { errors } = await service.ask(mutation, { id: 'deal_00000000000' })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'not_found', status: 404 })
  expect(await kinds(service)).toEqual(['deal.created', 'note.created'])
})

test('a rotated secret is new, and the previous one also signs during the overlap', async () => {
  const { ask, store, webhook } = await subscribed()
  const rotate =
    'mutation ($id: ID!, $s: Int) { rotateWebhookSecret(input: {id: $id, overlapSeconds: $s}) { secret webhook { version } } }'
  const { data } = await ask(rotate, { id: webhook.id, s: 60 })
  expect(data.rotateWebhookSecret.webhook.version).toBe(2)
  await ask('mutation { createContact(input: {name: "a"}) { contact { id } } }')
  const turn = { results: [], renewals: [], leaseMs: 1000, slots: 9, slotsOf: () => 9 }
  const { claimed } = await store.deliveries.turn(turn)
  expect(claimed[0]?.secrets).toEqual([data.rotateWebhookSecret.secret, webhook.secret])
  const { errors } = await ask(rotate, { id: webhook.id, s: -1 })
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'invalid_parameter',
    errors: [{ parameter: 'overlapSeconds' }],
  })
})

test('an ended delivery is sent again, an unknown one is not found', async () => {
  const { ask, store, webhook } = await subscribed()
  await ask('mutation { createContact(input: {name: "a"}) { contact { id } } }')
  const turn = { results: [], renewals: [], leaseMs: 1000, slots: 9, slotsOf: () => 9 }
  const [claim] = (await store.deliveries.turn(turn)).claimed
  if (!claim) throw new Error('nothing was claimed')
  await store.deliveries.turn({
    ...turn,
    results: [{ claim, outcome: { type: 'failed', status: 500, reason: 'HTTP 500' } }],
  })
  const resend = `mutation ($w: ID!, $e: ID!) { resendDelivery(input: {webhookId: $w, eventId: $e}) {
    eventId webhook { deliveries { nodes { state attempts } } } } }`
  const { data } = await ask(resend, { w: webhook.id, e: claim.eventId })
  expect(data.resendDelivery).toEqual({
    eventId: claim.eventId,
    webhook: { deliveries: { nodes: [{ state: 'PENDING', attempts: 0 }] } },
  })
  expect((await store.deliveries.turn(turn)).claimed[0]?.eventId).toBe(claim.eventId)
  const { errors } = await ask(resend, { w: webhook.id, e: 'evt_00000000000' })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'not_found' })
})

test('a deleted webhook gets no more deliveries', async () => {
  const { ask, webhook, store } = await subscribed()
  const { data } = await ask('mutation ($id: ID!) { deleteWebhook(input: {id: $id}) { deletedId } }', webhook)
  expect(data.deleteWebhook.deletedId).toBe(webhook.id)
  await ask('mutation { createContact(input: {name: "a"}) { contact { id } } }')
  expect((await ask('{ webhooks { nodes { id } } }')).data.webhooks.nodes).toEqual([])
  expect(
    (await store.deliveries.turn({ results: [], renewals: [], leaseMs: 1, slots: 9, slotsOf: () => 9 })).claimed,
  ).toEqual([])
})

test('several mutations run in order, and a rejected one does not affect the others', async () => {
  const { ask } = await graphqlForTest()
  const { data, errors } = await ask(`mutation {
    a: createContact(input: {name: "a"}) { contact { name } }
    b: createContact(input: {json: {name: 5}}) { contact { name } }
    c: createContact(input: {name: "c"}) { contact { name } }
  }`)
  expect(data).toEqual({ a: { contact: { name: 'a' } }, b: null, c: { contact: { name: 'c' } } })
  expect(errors?.map(({ path }) => path)).toEqual([['b']])
  expect((await ask('{ contacts { nodes { name } } }')).data.contacts.nodes).toEqual([{ name: 'c' }, { name: 'a' }])
})
