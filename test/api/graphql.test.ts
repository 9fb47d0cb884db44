import { describe, expect, test } from 'vitest'
import type { GraphqlMemory, GraphqlRequest } from '../../src/api/graphql/graphql-api.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { type SeenRequest, sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY, openClient, WIRE } from './client-fixture.ts'
import { startGraphqlServer } from './graphql-server.ts'

/** Another server's: camel case, no `json`, edges, ids that are strings, a list without pages, members one by one. */
const FOREIGN = `
  type Query {
    contact(id: String!): Person
    deal(id: String!): Deal
    pipelines: [Pipeline!]!
    webhooks(first: Int!, after: String): Hooks!
    search(text: String!): [Person]
  }
  type Person { id: String! firstName: String owner: Person tags: [String!] rank(of: String!): Int addresses: [Address!] }
  type Address { zipCode: String }
  type Deal { id: String! ownerId: String notes(first: Int, after: String): Notes! }
  type Notes { edges: [NoteEdge!]! pageInfo: PageInfo! }
  type NoteEdge { node: Note! }
  type Note { id: String! body: String createdAt: String }
  type Hooks { nodes: [Hook!]! pageInfo: PageInfo! }
  type Hook { id: String! url: String }
  type Pipeline { id: String! name: String stages: [Stage!]! }
  type Stage { name: String }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Mutation { updateDeal(input: UpdateDeal!): Updated }
  input UpdateDeal { id: String! stage: String ownerId: String }
  type Updated { deal: Deal }
`

const NOTES = Array.from({ length: 5 }, (_, n) => ({ id: `n${n}`, body: `note ${n}`, createdAt: '2026-01-01' }))

interface Page {
  readonly first: number
  readonly after: string | null
}

function notesPage({ first, after }: Page): object {
  const start = after === null ? 0 : Number(after)
  const edges = NOTES.slice(start, start + first).map((node) => ({ node }))
  return { edges, pageInfo: { hasNextPage: start + first < NOTES.length, endCursor: `${start + first}` } }
}

function foreignRoot(updates: object[] = []): object {
  return {
    contact: ({ id }: { id: string }) =>
      id === 'p1' ? { id, firstName: 'Ada', tags: ['a'], addresses: [{ zipCode: '1' }] } : null,
    deal: ({ id }: { id: string }) => (id === 'd1' ? { id, ownerId: 'u1', notes: notesPage } : null),
    pipelines: [{ id: 'p', name: 'Sales', stages: [{ name: 'Lead' }] }],
    webhooks: ({ first }: Page) => ({ nodes: [{ id: 'h', url: `first ${first}` }], pageInfo: { hasNextPage: false } }),
    updateDeal: ({ input }: { input: { id: string; ownerId?: string } }) => {
      updates.push({ ...input })
      return { deal: { id: input.id, ownerId: input.ownerId } }
    },
  }
}

function memoryOf(start?: JsonObject): GraphqlMemory & { value: JsonObject | undefined } {
  const memory = {
    value: start,
    read: async () => memory.value,
    write: async (value: JsonObject) => {
      memory.value = value
    },
  }
  return memory
}

describe('a foreign server', () => {
  test('returns records with the member names of REST, by its schema', async () => {
    const { url } = await startGraphqlServer(FOREIGN, foreignRoot())
    const { api } = openClient(url)
    expect(await api.graphql.get('contact', 'p1')).toEqual({
      id: 'p1',
      first_name: 'Ada',
      tags: ['a'],
      addresses: [{ zip_code: '1' }],
    })
    expect(await api.graphql.get('contact', 'p2')).toBeUndefined()
    expect(await api.graphql.get('deal', 'd1')).toEqual({ id: 'd1', owner_id: 'u1' })
  })

  test('gives lists: edges page by page, nodes, and lists that have no pages', async () => {
    const { url } = await startGraphqlServer(FOREIGN, foreignRoot())
    const { api } = openClient(url)
    const pages = await allPages(api.graphql.notes('d1', ALL))
    expect(pages.map(({ items }) => items.map(({ id }) => id))).toEqual([['n0', 'n1'], ['n2', 'n3'], ['n4']])
    expect(pages[0]?.items[0]).toEqual({ id: 'n0', body: 'note 0', created_at: '2026-01-01' })
    const [rest] = await allPages(api.graphql.notes('d1', { ...ALL, cursor: pages[1]?.nextCursor }))
    expect(rest?.items.map(({ id }) => id)).toEqual(['n4'])
    expect((await allPages(api.graphql.notes('d1', { ...ALL, limit: 3 }))).flatMap(({ items }) => items)).toHaveLength(
      3,
    )
    const [pipelines] = await allPages(api.graphql.list('pipelines', ALL))
    expect(pipelines?.items).toEqual([{ id: 'p', name: 'Sales', stages: [{ name: 'Lead' }] }])
    const [webhooks] = await allPages(api.graphql.list('webhooks', ALL))
    expect(webhooks?.items).toEqual([{ id: 'h', url: `first ${WIRE.pageSize}` }])
    const error = await failureOf(allPages(api.graphql.notes('d9', ALL)))
    expect(error).toMatchObject({ code: 'not_found', message: 'there is no deal "d9"' })
  })

  test('updates a deal member by member, and refuses unknown members before anything is sent', async () => {
    const updates: object[] = []
    const { url, seen } = await startGraphqlServer(FOREIGN, foreignRoot(updates))
    const { api } = openClient(url)
    const writing = { ...NO_KEY, ifMatch: undefined }
    expect(await api.graphql.updateDeal('d1', { owner_id: 'u2' }, writing)).toEqual({ id: 'd1', owner_id: 'u2' })
    expect(updates).toEqual([{ id: 'd1', ownerId: 'u2' }])
    expect(seen.at(-1)?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
    const sent = seen.length
    const error = await failureOf(api.graphql.updateDeal('d1', { amount: 5 }, writing))
    expect(error).toMatchObject({ code: 'usage', details: { hint: 'it accepts stage, ownerId' } })
    const conditional = await failureOf(api.graphql.updateDeal('d1', { stage: 'x' }, { ...NO_KEY, ifMatch: '3' }))
    expect(conditional.code).toBe('not_supported')
    expect(seen).toHaveLength(sent)
  })

  test.each([
    ['nothing', null, 'neither the deal nor a refusal'],
    ['no deal', { deal: null }, 'neither the deal nor a refusal'],
    ['another deal', { deal: { id: 'd2' } }, 'another deal, d2'],
  ])('that answers a change with %s leaves it in doubt', async (_what, updateDeal, shown) => {
    const { url, seen } = await startGraphqlServer(FOREIGN, { ...foreignRoot(), updateDeal: () => updateDeal })
    const writing = { ...NO_KEY, ifMatch: undefined }
    const error = await failureOf(openClient(url).api.graphql.updateDeal('d1', { owner_id: 'u2' }, writing))
    expect(error).toMatchObject({
      ...{ code: 'in_doubt', exit: 3 },
      message: `cannot update deal d1: the answer shows ${shown}; it is unknown whether the server applied it`,
      details: { hint: 'crm deals get d1', isInDoubt: true, idempotencyKey: seen.at(-1)?.headers['idempotency-key'] },
    })
  })

  test('that shows the deal beside errors has changed it', async () => {
    const owner = () => {
      throw new Error('owner cannot be shown')
    }
    const updateDeal = () => ({ deal: { id: 'd1', ownerId: owner } })
    const { url } = await startGraphqlServer(FOREIGN, { ...foreignRoot(), updateDeal })
    const writing = { ...NO_KEY, ifMatch: undefined }
    const deal = await openClient(url).api.graphql.updateDeal('d1', { stage: 'Won' }, writing)
    expect(deal).toEqual({ id: 'd1', owner_id: null })
  })

  test('that lacks an operation is refused by its name', async () => {
    const { url } = await startGraphqlServer('type Query { contact(id: ID!, tenant: ID!): String deals: Int }', {})
    const { api } = openClient(url)
    const notes = await failureOf(allPages(api.graphql.notes('d1', ALL)))
    expect(notes).toMatchObject({ code: 'not_supported', exit: 7 })
    expect(notes.message).toBe(`the GraphQL of ${url.origin} offers no deal(id) with notes`)
    // A required argument that no one here knows the meaning of.
    expect((await failureOf(api.graphql.get('contact', 'p1'))).message).toContain('offers no contact(id)')
  })
})

describe('the address', () => {
  test('is /v1/graphql, else /graphql, behind the prefix of the server’s address', async () => {
    const { url, seen } = await startGraphqlServer(FOREIGN, foreignRoot(), '/crm/graphql')
    const { api } = openClient(new URL('/crm', url))
    await api.graphql.get('contact', 'p1')
    await api.graphql.get('contact', 'p1')
    const paths = seen.map(({ path }) => path)
    expect(paths).toEqual(['/crm/v1/graphql', '/crm/graphql', '/crm/graphql', '/crm/graphql'])
  })

  test('is the one of the setting, and no other is asked', async () => {
    const { url, seen } = await startGraphqlServer(FOREIGN, foreignRoot(), '/api/query')
    const wire = { ...WIRE, graphqlPath: '/api/query' }
    expect(await openClient(url, { wire }).api.graphql.get('contact', 'p1')).toMatchObject({ id: 'p1' })
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(['/api/query']))
    const none = openClient(url, { wire: { ...WIRE, graphqlPath: 'none' } }).api
    expect((await failureOf(none.graphql.get('contact', 'p1'))).message).toContain('wire.graphql_path is none')
  })

  test.each([
    ['404', 404, { message: 'no' }],
    ['a REST error with a list of faults', 422, { errors: [{ pointer: '/a' }] }],
    ['a page that is no GraphQL', 200, { data: [1, 2] }],
    ['a method that is not allowed', 405, {}],
  ])('is not found where %s answers: not_supported names what was asked', async (_what, status, body) => {
    const { url, seen } = await startServer((response) => sendJson(response, status, body))
    const error = await failureOf(openClient(url).api.graphql.get('contact', 'p1'))
    expect(error).toMatchObject({ code: 'not_supported', exit: 7 })
    expect(error.message).toContain('(tried /v1/graphql and /graphql)')
    expect(seen).toHaveLength(2)
  })

  test('is not looked for elsewhere when the key is refused or the server is out of order', async () => {
    for (const [status, code] of [
      [401, 'unauthorized'],
      [503, 'server_error'],
    ] as const) {
      const { url, seen } = await startServer((response) => sendJson(response, status, { errors: [{ message: 'no' }] }))
      expect((await failureOf(openClient(url).api.graphql.get('contact', 'p1'))).code).toBe(code)
      expect(seen).toHaveLength(1)
    }
  })
})

describe('a mutation', () => {
  const MUTATION: GraphqlRequest = {
    query: 'mutation { updateDeal(input: {id: "d1"}) { deal { id } } }',
    variables: {},
    operationName: undefined,
    isRead: false,
    idempotencyKey: 'k-1',
  }
  const mutationsIn = (seen: readonly SeenRequest[]) => seen.filter(({ body }) => body.includes('mutation'))

  test('is sent to the path that was found to be one of GraphQL, and to no other', async () => {
    const updates: object[] = []
    const { url, seen } = await startGraphqlServer(FOREIGN, foreignRoot(updates), '/graphql')
    const { api } = openClient(url)
    expect((await api.graphql.send(MUTATION)).errors).toEqual([])
    expect(mutationsIn(seen).map(({ path }) => path)).toEqual(['/graphql'])
    expect(updates).toHaveLength(1)
  })

  test('that is answered with something else than GraphQL is in doubt', async () => {
    const { url } = await startServer((response, { body }) =>
      sendJson(response, 200, body.includes('mutation') ? { ok: true } : { data: { __typename: 'Query' } }),
    )
    const error = await failureOf(openClient(url).api.graphql.send(MUTATION))
    expect(error).toMatchObject({ code: 'in_doubt', exit: 3, details: { isInDoubt: true, idempotencyKey: 'k-1' } })
  })

  test('with a cached path that no longer exists is sent to the path that is found', async () => {
    const { url, seen } = await startGraphqlServer(FOREIGN, foreignRoot(), '/graphql')
    const memory = memoryOf({ format: 2, at_ms: Date.now(), path: '/old', offers: {} })
    expect((await openClient(url, { memory }).api.graphql.send(MUTATION)).errors).toEqual([])
    expect(seen.map(({ path }) => path)).toEqual(['/old', '/v1/graphql', '/graphql', '/graphql'])
  })

  test.each([
    [400, 'bad_request'],
    [413, 'rejected'],
    [415, 'rejected'],
    [422, 'invalid_values'],
    [307, 'rejected'],
  ] as const)('that is refused with %s is reported like over REST, and sent once', async (status, code) => {
    const { url, seen } = await startServer((response, { body }) =>
      body.includes('mutation')
        ? sendJson(response, status, { code: 'x', detail: 'not so' })
        : sendJson(response, 200, { data: { __typename: 'Query' } }),
    )
    const error = await failureOf(openClient(url).api.graphql.send(MUTATION))
    expect(error).toMatchObject({ code, details: { status } })
    expect(mutationsIn(seen)).toHaveLength(1)
  })

  test.each([
    ['409 in progress', 409, { code: 'idempotency_in_progress', detail: 'at work' }],
    ['200 that is no GraphQL', 200, { ok: true }],
  ])('whose outcome is unknown names its key: %s', async (_what, status, answer) => {
    const { url } = await startServer((response, { body }) =>
      body.includes('mutation')
        ? sendJson(response, status, answer)
        : sendJson(response, 200, { data: { __typename: 'Query' } }),
    )
    const error = await failureOf(openClient(url).api.graphql.send(MUTATION))
    expect(error.details.hint).toContain('--idempotency-key k-1')
    expect(error.message).toContain('it is unknown whether the server applied it')
  })
})

test('a query of the user’s own that is refused is reported like over REST, and sent to one path', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 413, { detail: 'too large' }))
  const query = { query: '{ a }', variables: {}, operationName: undefined, isRead: true, idempotencyKey: undefined }
  const error = await failureOf(openClient(url).api.graphql.send(query))
  expect(error.message).toBe('cannot ask GraphQL: too large (413)')
  expect(seen).toHaveLength(1)
})

describe('the cache', () => {
  test('saves the introspection of the next run', async () => {
    const { url, asked } = await startGraphqlServer(FOREIGN, foreignRoot())
    const memory = memoryOf()
    await openClient(url, { memory }).api.graphql.get('contact', 'p1')
    expect(asked().map((query) => query.includes('__schema'))).toEqual([true, false])
    await openClient(url, { memory }).api.graphql.get('contact', 'p1')
    expect(asked().map((query) => query.includes('__schema'))).toEqual([true, false, false])
  })

  test('is read again when the server refuses it, and after a day', async () => {
    const { url, asked } = await startGraphqlServer(FOREIGN, foreignRoot())
    const memory = memoryOf()
    let nowMs = Date.now()
    const get = () => openClient(url, { memory, now: () => nowMs }).api.graphql.get('contact', 'p1')
    await get()
    const offers = { contact: { query: 'query ($id: ID!) { contact(id: $id) { gone } }', field: 'contact' } }
    memory.value = { ...memory.value, offers }
    expect(await get()).toMatchObject({ id: 'p1' })
    nowMs += 24 * 60 * 60 * 1000 + 1
    await get()
    expect(asked().filter((query) => query.includes('__schema'))).toHaveLength(3)
  })

  test('includes the absence of GraphQL, for an hour', async () => {
    const { url, seen } = await startServer((response) => sendJson(response, 404, {}))
    const memory = memoryOf()
    let nowMs = Date.now()
    const get = () => failureOf(openClient(url, { memory, now: () => nowMs }).api.graphql.get('contact', 'p1'))
    await get()
    expect((await get()).message).toContain('(cached for 1 h)')
    expect(seen).toHaveLength(2)
    nowMs += 60 * 60 * 1000
    await get()
    expect(seen).toHaveLength(4)
  })

  test('is ignored if another release wrote it', async () => {
    const { url, asked } = await startGraphqlServer(FOREIGN, foreignRoot())
    const memory = memoryOf({ format: 0, at_ms: Date.now(), path: '/graphql', offers: { contact: {} } })
    await openClient(url, { memory }).api.graphql.get('contact', 'p1')
    expect(asked()).toHaveLength(2)
  })
})

test('a list whose cursor does not move on is an error, not a loop', async () => {
  const root = {
    ...foreignRoot(),
    deal: () => ({ notes: () => ({ edges: [], pageInfo: { hasNextPage: true, endCursor: 'x' } }) }),
  }
  const { url } = await startGraphqlServer(FOREIGN, root)
  const error = await failureOf(allPages(openClient(url).api.graphql.notes('d1', ALL)))
  expect(error).toMatchObject({ code: 'bad_answer' })
  expect(error.message).toContain('the server repeated a cursor')
})
