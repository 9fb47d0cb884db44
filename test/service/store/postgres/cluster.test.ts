import { tmpdir } from 'node:os'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type Cluster, type Reach, startCluster } from '../../../harness/postgres/cluster.ts'
import { administer, createDatabase, dropDatabase } from '../../../harness/postgres/databases.ts'
import { findPrograms } from '../../../harness/postgres/programs.ts'

async function cluster(): Promise<Cluster> {
  const started = await startCluster()
  onTestFinished(started.remove)
  return started
}

async function answerTo(at: Cluster, sql: string): Promise<unknown> {
  const { rows } = await administer(at, sql)
  return rows[0] && Object.values(rows[0])[0]
}

test('without PostgreSQL the run says what to install', () => {
  expect(() => findPrograms([tmpdir()])).toThrow('install postgresql of Debian')
})

test('a cluster of the tests is a real PostgreSQL that waits for the disk', async () => {
  const started = await cluster()
  expect(await answerTo(started, 'SELECT version()')).toMatch(/^PostgreSQL \d+/)
  expect(await answerTo(started, 'SHOW synchronous_commit')).toBe('on')
  expect(await answerTo(started, 'SHOW fsync')).toBe('on')
  await expect(administer({ ...started, password: 'other' }, 'SELECT 1')).rejects.toThrow(
    'password authentication failed',
  )
})

test('what was committed outlives kill -9 of PostgreSQL, and what was not is gone', async () => {
  const started = await cluster()
  await administer(started, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)')
  const open = new pg.Client({ ...reachOf(started), database: 'postgres' })
  open.on('error', () => {})
  await open.connect()
  await open.query('BEGIN')
  await open.query('INSERT INTO kept VALUES (2)')
  await started.kill()
  await expect(administer(started, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
  await started.start()
  expect(await answerTo(started, `SELECT string_agg(n::text, ',') FROM kept`)).toBe('1')
  expect(started.said()).toContain('automatic recovery in progress')
})

test('a stopped cluster starts again on the same port with its data', async () => {
  const started = await cluster()
  await administer(started, 'CREATE TABLE kept (n int)')
  await started.stop()
  await started.start()
  expect(await answerTo(started, 'SELECT count(*) FROM kept')).toBe('0')
  expect(started.said()).not.toContain('automatic recovery in progress')
})

test('a database for a test belongs to a user without other rights, and is removed', async () => {
  const server = inject('postgres')
  const uri = await createDatabase(server)
  const client = new pg.Client(uri)
  // Its connection is ended with the database.
  client.on('error', () => {})
  await client.connect()
  await client.query('CREATE TABLE own (n int)')
  await expect(client.query('CREATE DATABASE other')).rejects.toThrow('permission denied')
  await dropDatabase(server, uri)
  await expect(client.query('SELECT 1')).rejects.toThrow()
  await expect(new pg.Client(uri).connect()).rejects.toThrow('does not exist')
})

function reachOf({ host, port, user, password }: Cluster): Reach {
  return { host, port, user, password }
}
