import pg from 'pg'
import type { Reach } from './cluster.ts'

/** The user of the service: as in production, it owns its database and nothing else. */
export interface DatabaseServer {
  readonly reach: Reach
  readonly servicePassword: string
}

const SERVICE_USER = 'crm'

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

/** Makes the user of the service. */
export async function prepareServer(reach: Reach): Promise<DatabaseServer> {
  const servicePassword = reach.password.toLowerCase()
  await administer(reach, `CREATE ROLE ${SERVICE_USER} LOGIN PASSWORD '${servicePassword}'`)
  return { reach, servicePassword }
}

let made = 0

/** The URI of an empty database, with a password, for the user of the service. */
export async function createDatabase({ reach, servicePassword }: DatabaseServer): Promise<string> {
  const name = `t${process.pid}_${made++}`
  await administer(reach, `CREATE DATABASE ${name} OWNER ${SERVICE_USER} TEMPLATE template0`)
  return `postgres://${SERVICE_USER}:${servicePassword}@${reach.host}:${reach.port}/${name}`
}

/** Also while processes that were killed are still connected. */
export async function dropDatabase({ reach }: DatabaseServer, uri: string): Promise<void> {
  await administer(reach, `DROP DATABASE ${nameIn(uri)} WITH (FORCE)`)
}

function nameIn(uri: string): string {
  return new URL(uri).pathname.slice(1)
}
