import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cluster, startCluster } from '../test/harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../test/harness/postgres/databases.ts'
import { deliverOutbox, EVENTS } from './delivery.ts'
import { postRequest, runLoad } from './load.ts'
import { measurePostgresPages } from './postgres-pages.ts'
import { benchFolder, cpuSeconds, median, plainEnv, ROOT, type Server, startCrm, startServer } from './processes.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 32
const FOR_MS = 1500
const ROUNDS = 5

/** PostgreSQL's connections, prepared statements and compiled code come slowly on a busy machine. */
const WARM_UP_ROUNDS = 2

const BODY = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@engines.example', company: 'Analytical Engines' })

/** The service on PostgreSQL, which runs on the machine of the load, beside bare loops and beside SQLite. */
export async function measurePostgres(): Promise<Row[]> {
  const cluster = await startCluster()
  try {
    const server = await prepareServer(cluster)
    return [
      ...(await measureCreates(cluster, () => createDatabase(server))),
      ...(await measurePostgresPages(await createDatabase(server))),
      ...(await measureDeliveries(() => createDatabase(server))),
    ]
  } finally {
    await cluster.remove()
  }
}

interface Used {
  readonly perSecond: number
  /** Of the processes of the service, and of all of PostgreSQL, for one request. */
  readonly serviceUs: number
  readonly databaseUs: number
}

/** One, two and four processes on one database, with the same 32 connections in sum, and the floors, in turns. */
async function measureCreates(cluster: Cluster, newDatabase: () => Promise<string>): Promise<Row[]> {
  const folder = benchFolder()
  const address = await newDatabase()
  const processes: Server[] = []
  for (let count = 0; count < 4; count++) processes.push(await startCrm(address, ['--history', 'none']))
  const withHistory = await startCrm(await newDatabase())
  const postgresFloor = await startServer([join(ROOT, 'bench/floors/postgres-server.mjs')], {
    ...plainEnv(),
    CRM_DATABASE_URL: await newDatabase(),
  })
  const sqliteFloor = await startServer(
    [join(ROOT, 'bench/floors/group-commit-server.mjs'), join(folder, 'floor.db')],
    plainEnv(),
  )
  const sqlite = await startCrm(join(folder, 'crm.db'), ['--history', 'none'])
  const subjects = {
    one: processes.slice(0, 1),
    floor: [postgresFloor],
    withHistory: [withHistory],
    two: processes.slice(0, 2),
    sqliteFloor: [sqliteFloor],
    four: processes,
    sqlite: [sqlite],
  }
  const rounds: Record<keyof typeof subjects, Used>[] = []
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    const used: Partial<Record<string, Used>> = {}
    for (const [name, servers] of Object.entries(subjects)) used[name] = await createOn(cluster, servers)
    if (round > 0) rounds.push(used as Record<keyof typeof subjects, Used>)
  }
  await Promise.all([...processes, withHistory, postgresFloor, sqliteFloor, sqlite].map((server) => server.stop()))

  const text = (name: keyof typeof subjects): string => {
    const of = (member: keyof Used) => median(rounds.map((round) => round[name][member])).toFixed(0)
    return `${of('perSecond')}/s (CPU us: service ${of('serviceUs')}, database ${of('databaseUs')})`
  }
  const row = (what: string, [ours, theirs]: readonly (keyof typeof subjects)[], goal?: Row['goal']): Row => {
    const [one, other] = [ours ?? 'one', theirs ?? 'one']
    const ratio = median(rounds.map((round) => round[one].perSecond / round[other].perSecond))
    return { what, measured: text(one), peer: `${other}: ${text(other)}`, ratio, goal }
  }
  return [
    row('durable create on PostgreSQL without a history, 32 connections, beside a bare loop', ['one', 'floor'], {
      atLeast: 0.5,
    }),
    row('the same, with the history of 90 days', ['withHistory', 'floor']),
    row('the same without a history, beside bare node:sqlite', ['one', 'sqliteFloor']),
    row('the same, beside crm on SQLite', ['one', 'sqlite']),
    row('the bare loop on PostgreSQL, beside bare node:sqlite', ['floor', 'sqliteFloor']),
    row('two processes on one database, the same connections', ['two', 'one'], { atLeast: 0.7 }),
    row('four processes on one database, the same connections', ['four', 'one'], { atLeast: 0.4 }),
  ]
}

let number = 0

async function createOn(cluster: Cluster, servers: readonly Server[]): Promise<Used> {
  const before = { service: serviceSeconds(servers), database: databaseSeconds(cluster) }
  const loads = servers.map(({ url, key }) =>
    runLoad({
      url,
      connections: CONNECTIONS / servers.length,
      forMs: FOR_MS,
      request: () => postRequest('/v1/contacts', { key, body: BODY, idempotencyKey: `bench-${number++}` }),
    }),
  )
  const results = await Promise.all(loads)
  const count = results.reduce((sum, each) => sum + each.count, 0)
  return {
    perSecond: results.reduce((sum, each) => sum + each.perSecond, 0),
    serviceUs: ((serviceSeconds(servers) - before.service) * 1e6) / count,
    databaseUs: ((databaseSeconds(cluster) - before.database) * 1e6) / count,
  }
}

function serviceSeconds(servers: readonly Server[]): number {
  return servers.reduce((sum, { child }) => sum + cpuSeconds(child.pid), 0)
}

/** The server with its processes; it has waited for those that ended. */
function databaseSeconds(cluster: Cluster): number {
  const pid = cluster.pid()
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...children].reduce((sum, each) => sum + cpuSeconds(each), 0)
}

const PROMISED_PER_SECOND = 2000

async function measureDeliveries(newDatabase: () => Promise<string>): Promise<Row[]> {
  const rounds: Awaited<ReturnType<typeof deliverOutbox>>[] = []
  for (let round = 0; round < 3; round++) rounds.push(await deliverOutbox(await newDatabase()))
  const row = (what: string, name: keyof (typeof rounds)[number]): Row => {
    const rate = median(rounds.map((round) => round[name]))
    return {
      what,
      measured: `${rate.toFixed(0)}/s`,
      peer: `promised: ${PROMISED_PER_SECOND}/s`,
      ratio: rate / PROMISED_PER_SECOND,
      goal: { atLeast: 1 },
    }
  }
  return [
    row(`${EVENTS.toLocaleString('en')} signed deliveries from PostgreSQL, in order per record`, 'perSecond'),
    // Other work on the machine lowers the rate, but not this.
    row('the same, in a second of CPU of the service', 'perCpuSecond'),
  ]
}
