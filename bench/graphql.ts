import { join } from 'node:path'
import { getRequest, postRequest, runLoad } from './load.ts'
import { benchFolder, median, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 32
const FOR_MS = 3000
const ROUNDS = 3

const QUERIES = {
  json: 'query { contacts(first: 100) { nodes { json } pageInfo { hasNextPage endCursor } } }',
  fields:
    'query { contacts(first: 100) { nodes { id name email phone company ownerId createdAt updatedAt version } pageInfo { hasNextPage endCursor } } }',
} as const

/** The same 100 contacts over REST and GraphQL, in turns: as whole records, and field by field. */
export async function measureGraphql(): Promise<Row[]> {
  const file = join(benchFolder(), 'crm.db')
  await fillContacts(file, 1000)
  const crm = await startCrm(file)
  const rates: Record<'rest' | keyof typeof QUERIES, number[]> = { rest: [], json: [], fields: [] }
  const load = async (request: () => string) =>
    (await runLoad({ url: crm.url, connections: CONNECTIONS, forMs: FOR_MS, request })).perSecond
  let number = 0
  const ask = (query: string) => () =>
    postRequest('/v1/graphql', { key: crm.key, body: JSON.stringify({ query }), idempotencyKey: `bench-${number++}` })
  for (let round = 0; round < ROUNDS; round++) {
    rates.rest.push(await load(() => getRequest('/v1/contacts?limit=100', crm.key)))
    rates.json.push(await load(ask(QUERIES.json)))
    rates.fields.push(await load(ask(QUERIES.fields)))
  }
  await crm.stop()
  const rest = median(rates.rest)
  const row = (what: string, ours: number, goal: Row['goal']): Row => ({
    what,
    measured: `${ours.toFixed(0)}/s`,
    peer: `the REST page: ${rest.toFixed(0)}/s`,
    ratio: ours / rest,
    goal,
  })
  return [
    row('GraphQL page of 100 contacts, whole records', median(rates.json), { atLeast: 0.3 }),
    row('GraphQL page of 100 contacts, nine fields each', median(rates.fields), { atLeast: 0.35 }),
  ]
}
