import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished, TestRunner } from 'vitest'
import { openStore } from '../../src/service/store/open-store.ts'
import type { Store } from '../../src/service/store/store.ts'
import type { StoreOptions } from '../../src/service/store/store-options.ts'
import { type CleanUp, databaseEnv, tempFolder } from './home.ts'
import { createDatabase, dropDatabase } from './postgres/databases.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** That the test, or a test of the file, was given. */
    database?: 'SQLite' | 'PostgreSQL'
  }
}

/**
 * The address of a new database: a file, or in the project `postgres` one of PostgreSQL, without its password, which is in
 * `databaseEnv`. Removed at the end.
 */
export function newDatabase(cleanUp: CleanUp = onTestFinished): Promise<string> {
  return newIn(() => join(tempFolder(cleanUp), 'crm.db'), cleanUp)
}

/** The same for a test that does not open it again: in memory, if it is SQLite's. */
export function memoryDatabase(cleanUp: CleanUp = onTestFinished): Promise<string> {
  return newIn(() => ':memory:', cleanUp)
}

async function newIn(sqlitePlace: () => string, cleanUp: CleanUp): Promise<string> {
  if (inject('postgres')) return newPostgres('prepared', cleanUp)
  note('SQLite', cleanUp)
  return sqlitePlace()
}

/** Of PostgreSQL, in the project `postgres` alone; one that is `empty` has no tables. */
export async function newPostgres(
  content: 'empty' | 'prepared' = 'prepared',
  cleanUp: CleanUp = onTestFinished,
): Promise<string> {
  const server = inject('postgres')
  const address = await createDatabase(server, content)
  cleanUp(() => dropDatabase(server, address))
  note('PostgreSQL', cleanUp)
  const url = new URL(address)
  url.password = ''
  return url.href
}

/** On a new database, in memory if it is SQLite's, unless the options name one; closed at the end. */
export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  const address = options.address ?? (await memoryDatabase())
  const store = await openStore({ now: Date.now, env: databaseEnv(), ...options, address })
  onTestFinished(() => store.close())
  return store
}

/** A connection to a database of `newPostgres`, ended after the test. */
export async function connectTo(address: string): Promise<pg.Client> {
  const url = new URL(address)
  url.password = inject('postgres').servicePassword
  const client = new pg.Client(url.href)
  // Its end with the database is no fault.
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** For the count at the end of a run. What tests of a file share is noted for the file. */
function note(database: 'SQLite' | 'PostgreSQL', cleanUp: CleanUp): void {
  const test = TestRunner.getCurrentTest()
  if (test) (cleanUp === onTestFinished ? test : test.file).meta.database = database
}
