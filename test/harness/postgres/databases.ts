import pg from 'pg'
import { openStore } from '../../../src/service/store/open-store.ts'
import type { Cluster, Reach } from './cluster.ts'

/** The user of the service: as in production, it owns its database and nothing else. */
export interface DatabaseServer {
  readonly reach: Reach
  readonly servicePassword: string
  readonly version: number
}

const SERVICE_USER = 'crm'

/** A database with the tables of crm, which others are copies of. */
const PREPARED = 'prepared'

/** A statement of the superuser over a connection of its own. */
export async function administer(
  { host, port, user, password }: Reach,
  sql: string,
  database = 'postgres',
): Promise<pg.QueryResult> {
  const client = new pg.Client({ host, port, user, password, database })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Makes the user of the service, and the database that is copied. */
export async function prepareServer(cluster: Reach & Pick<Cluster, 'version'>): Promise<DatabaseServer> {
  const { host, port, user, password, version } = cluster
  const reach = { host, port, user, password }
  const servicePassword = password.toLowerCase()
  await administer(reach, `CREATE ROLE ${SERVICE_USER} LOGIN PASSWORD '${servicePassword}'`)
  const server = { reach, servicePassword, version }
  const address = await create(server, PREPARED, 'template0')
  await (await openStore({ address, now: Date.now })).close()
  return server
}

let made = 0

/** The URI of a database, with a password, for the user of the service: without tables, or with those of a new one. */
export function createDatabase(server: DatabaseServer, content: 'empty' | 'prepared' = 'empty'): Promise<string> {
  const name = `t${process.pid}_${made++}`
  return create(server, name, content === 'empty' ? 'template0' : PREPARED)
}

async function create({ reach, servicePassword, version }: DatabaseServer, name: string, template: string) {
  // Faster for small databases; the only strategy before 15.
  const strategy = version >= 15 ? 'STRATEGY file_copy' : ''
  await administer(reach, `CREATE DATABASE ${name} OWNER ${SERVICE_USER} TEMPLATE ${template} ${strategy}`)
  return `postgres://${SERVICE_USER}:${servicePassword}@${reach.host}:${reach.port}/${name}`
}

/** Also while processes that were killed are still connected. */
export async function dropDatabase({ reach }: DatabaseServer, uri: string): Promise<void> {
  await administer(reach, `DROP DATABASE ${nameIn(uri)} WITH (FORCE)`)
}

function nameIn(uri: string): string {
  return new URL(uri).pathname.slice(1)
}
