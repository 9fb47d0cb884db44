import { cpus } from 'node:os'
import { join } from 'node:path'
import { browseEnv, budget, measureBrowse } from './browse.ts'
import { measureDelivery } from './delivery.ts'
import { measureExport } from './export.ts'
import { measureImport } from './import.ts'
import { currentLoad, keepFigures } from './kept-figures.ts'
import { measureLarge } from './large.ts'
import { measureListen, measureListenMemory } from './listen.ts'
import { getRequest, postRequest, runLoad } from './load.ts'
import { measureMapping } from './mapping.ts'
import { writePage } from './page.ts'
import { measurePeers } from './peers.ts'
import { measurePlan } from './plan.ts'
import { measurePostgres } from './postgres.ts'
import { benchFolder, CRM, median, startCrm } from './processes.ts'
import { measureSandbox } from './sandbox.ts'
import { fillContacts } from './seed.ts'
import { measureStartUp } from './start-up.ts'
import { type Row, tableText } from './table.ts'
import { openBenchTerminal } from './terminal.ts'
import { measureThroughput } from './throughput.ts'

const CONNECTIONS = 32
const FOR_MS = 3000
const ROUNDS = 3

const QUERIES = {
  json: 'query { contacts(first: 100) { nodes { json } pageInfo { hasNextPage endCursor } } }',
  fields:
    'query { contacts(first: 100) { nodes { id name email phone company ownerId createdAt updatedAt version } pageInfo { hasNextPage endCursor } } }',
} as const

/**
 * `npm run bench [part ...]`: every speed claim with its peer or floor in the same run, and whether the goal is met. With `--page` the figures
 * are kept, and docs/performance.md is written from them.
 */
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  'start-up': measureStartUp,
  sandbox: measureSandbox,
  throughput: measureThroughput,
  postgres: measurePostgres,
  browse: measureBrowse,
  'browse-frames': measureFrames,
  graphql: measureGraphql,
  delivery: measureDelivery,
  export: () => measureExport(100_000),
  'export-million': () => measureExport(1_000_000),
  large: measureLarge,
  listen: measureListen,
  'listen-million': () => measureListenMemory(1_000_000),
  import: measureImport,
  plan: measurePlan,
  mapping: () => measureMapping(100_000),
  peers: measurePeers,
}

const isPage = process.argv.includes('--page')
const asked = process.argv.slice(2).filter((word) => word !== '--page')
const unknown = asked.find((part) => !Object.hasOwn(PARTS, part))
if (unknown !== undefined) throw new Error(`there is no part ${unknown}; expected ${Object.keys(PARTS).join(', ')}`)

const rows: Row[] = []
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  process.stderr.write(`measuring ${name} ...\n`)
  const loadBefore = currentLoad()
  const measured = await measure()
  rows.push(...measured)
  if (isPage) keepFigures(name, measured, loadBefore)
}
console.log(
  `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}); medians, ratios within one run\n`,
)
console.log(tableText(rows))
if (isPage) writePage()

/** The growth of memory between frame 5,000 and frame 20,000 shows whether frames leak. */
async function measureFrames(): Promise<Row[]> {
  const database = join(benchFolder(), 'contacts.db')
  await fillContacts(database, 1_000)
  const server = await startCrm(database)
  const terminal = openBenchTerminal([process.execPath, CRM, 'browse', 'contacts'], browseEnv(server))
  try {
    await terminal.frameWith('1-35 of 500')
    await terminal.drawFrames(5_000)
    const before = terminal.residentMib()
    await terminal.drawFrames(15_000)
    const growth = terminal.residentMib() - before
    return [budget(`growth of ${before.toFixed(0)} MiB from 5,000 to 20,000 frames`, growth, 30, 'MiB')]
  } finally {
    terminal.end()
    await server.stop()
  }
}

/** The same 100 contacts over REST and GraphQL, in turns: as whole records, and field by field. */
async function measureGraphql(): Promise<Row[]> {
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
