import { expect, inject, onTestFinished, test } from 'vitest'
import { encodeId } from '../../../../src/core/ids.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { readAddress } from '../../../../src/service/store/postgres/address.ts'
import { openPool, type PostgresDatabase } from '../../../../src/service/store/postgres/database.ts'
import { MIGRATIONS, SCHEMA_VERSION } from '../../../../src/service/store/postgres/migrations.ts'
import { prepareDatabase } from '../../../../src/service/store/postgres/open-database.ts'
import { additions, openTablesScript } from '../../../../src/service/store/schema.ts'
import { crm } from '../../../harness/crm.ts'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { databaseEnv, emptyHome } from '../../../harness/home.ts'
import { administer } from '../../../harness/postgres/databases.ts'
import { allContacts, creation } from '../samples.ts'
import { FIRST_SCHEMA } from './first-schema.ts'

const ANY = { isCreated: true, isOnlyRead: false }

/** Each notes that it ran, and takes long enough that other processes come meanwhile. */
const STEPS = [
  ...MIGRATIONS,
  'CREATE TABLE steps (name text); INSERT INTO steps VALUES (1)',
  'INSERT INTO steps VALUES (2); SELECT pg_sleep(0.2)',
]

function pool(address: string): PostgresDatabase {
  const database = openPool(readAddress(address, databaseEnv()))
  onTestFinished(() => database.close())
  return database
}

test('the steps of a newer schema run once and in order, whichever of several processes comes first', async () => {
  const address = await newPostgres()
  await (await openTestStore({ address })).write(creation('contact', { name: 'Ada' }))
  await Promise.all(Array.from({ length: 4 }, () => prepareDatabase(pool(address), ANY, STEPS)))
  const client = await connectTo(address)
  expect((await client.query('SELECT name FROM steps ORDER BY ctid')).rows).toEqual([{ name: '1' }, { name: '2' }])
  expect((await client.query('SELECT version FROM crm_schema')).rows).toEqual([{ version: SCHEMA_VERSION + 2 }])
  await client.query(`UPDATE crm_schema SET version = ${SCHEMA_VERSION}`)
  expect(await allContacts(await openTestStore({ address }))).toHaveLength(1)
})

test.each(MIGRATIONS.map((_, place) => place + 1))(
  'a database of schema %i has the tables and indexes of a new one after its migration, and its records',
  async (version) => {
    const [old, fresh] = [await newPostgres('empty'), await newPostgres()]
    const client = await connectTo(old)
    for (const step of [FIRST_SCHEMA, ...MIGRATIONS].slice(0, version)) await client.query(step)
    await client.query(openTablesScript('postgres'))
    await client.query(`CREATE TABLE crm_schema (version integer NOT NULL); INSERT INTO crm_schema VALUES (${version})`)
    await client.query(`INSERT INTO contacts (id, version, text) VALUES (4096, 3, '{"name":"Ada"}')`)
    const store = await openTestStore({ address: old })
    expect((await store.records('contact', [encodeId('contact', 4096)])).size).toBe(1)
    expect((await store.history({ limit: 1, olderThanId: undefined })).entries).toEqual([])
    const { rows } = await client.query('SELECT version FROM crm_schema')
    expect(rows).toEqual([{ version: SCHEMA_VERSION }])
    await openTestStore({ address: fresh })
    expect(await objectsOf(old)).toEqual(await objectsOf(fresh))
  },
)

test('a column, a table and an index that the schema names are added to a database without them', async () => {
  const [old, fresh] = [await newPostgres(), await newPostgres()]
  const client = await connectTo(old)
  await client.query('ALTER TABLE history DROP COLUMN job; DROP TABLE fixture_runs; DROP INDEX deliveries_backlog')
  const added = ['history.job', 'history_by_job', 'fixture_runs', 'deliveries_backlog', '<|SELECT 1>']
  for (const step of additions('postgres', added)) await client.query(step)
  expect(await objectsOf(old)).toEqual(await objectsOf(fresh))
})

/** Every column and index of a database. */
async function objectsOf(address: string): Promise<readonly unknown[]> {
  const client = await connectTo(address)
  const columns = await client.query(
    `SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, column_name`,
  )
  const indexes = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
  )
  return [...columns.rows, ...indexes.rows]
}

test('steps of which one fails leave the database as it was', async () => {
  const address = await newPostgres()
  const failing = prepareDatabase(pool(address), ANY, [...STEPS, 'SELECT 1 / 0'])
  await expect(failing).rejects.toThrow('division by zero')
  const client = await connectTo(address)
  expect((await client.query(`SELECT to_regclass('steps') AS found`)).rows).toEqual([{ found: null }])
  expect((await client.query('SELECT version FROM crm_schema')).rows).toEqual([{ version: SCHEMA_VERSION }])
})

test('an older schema is not migrated by what only reads', async () => {
  const address = await newPostgres()
  const reading = prepareDatabase(pool(address), { isCreated: false, isOnlyRead: true }, STEPS)
  await expect(reading).rejects.toThrow(
    `made by an older crm: its schema is ${SCHEMA_VERSION}, expected ${SCHEMA_VERSION + 2}`,
  )
})

test('a database of a newer crm is exit 13 with both versions, and unchanged', async () => {
  const address = await newPostgres()
  await prepareDatabase(pool(address), ANY, STEPS)
  for (const command of [['--port', '0'], ['stats'], ['keys', 'list']]) {
    const { exit, stderr } = await crm(['serve', ...command, '--database', address], emptyHome())
    expect({ exit, stderr }).toEqual({
      exit: 13,
      stderr: expect.stringContaining(
        `was made by a newer crm: its schema is ${SCHEMA_VERSION + 2}, expected at most ${SCHEMA_VERSION}`,
      ),
    })
    expect(stderr).toContain('update crm')
  }
  const client = await connectTo(address)
  expect((await client.query('SELECT version FROM crm_schema')).rows).toEqual([{ version: SCHEMA_VERSION + 2 }])
})

test('a database of another program, without tables of crm, is refused and unchanged', async () => {
  const address = await newPostgres('empty')
  const client = await connectTo(address)
  await client.query('CREATE TABLE invoices (n int)')
  const opened = openStore({ address, env: databaseEnv(), now: Date.now })
  await expect(opened).rejects.toThrow('belongs to another program: it has a table invoices')
  const { rows } = await client.query(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  expect(rows).toEqual([{ relname: 'invoices' }])
})

test.each([
  ['DROP INDEX history_by_key', 'the index history_by_key'],
  ['DROP INDEX contacts_by_email', 'the index contacts_by_email'],
  ['ALTER TABLE events DROP CONSTRAINT events_pkey', 'the index events_pkey'],
  ['DROP TABLE writers', 'the table writers'],
  ['ALTER TABLE notes DROP CONSTRAINT notes_deal_id_fkey', 'a foreign key'],
  ['DELETE FROM crm_schema', 'the row of the table crm_schema'],
])('a database after %s, as an interrupted pg_restore leaves it, is refused', async (loss, lacking) => {
  const address = await newPostgres()
  await (await connectTo(address)).query(loss)
  const opened = openStore({ address, env: databaseEnv(), now: Date.now })
  await expect(opened).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`is an incomplete database of crm: it lacks ${lacking}$`)),
    details: { hint: expect.stringContaining('pg_restore --single-transaction') },
  })
})

test('a service whose user may not write to a table does not start, and what only reads works', async () => {
  const address = await newPostgres()
  const client = await connectTo(address)
  const reader = `reader_${process.pid}`
  const { rows } = await client.query('SELECT current_database() AS name')
  const admin = (sql: string, database?: string) => administer(inject('postgres').reach, sql, database)
  await admin(`CREATE ROLE ${reader} LOGIN PASSWORD '${inject('postgres').servicePassword}'`)
  onTestFinished(async () => {
    await admin(`DROP OWNED BY ${reader}`, rows[0].name)
    await admin(`DROP ROLE ${reader}`)
  })
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}`)
  const url = new URL(address)
  url.username = reader
  const serving = openStore({ address: url.href, env: databaseEnv(), now: Date.now, sharesClock: true })
  await expect(serving).rejects.toMatchObject({
    message: expect.stringMatching(
      `the user ${reader} of database .*${rows[0].name} may not write to its table api_keys`,
    ),
    details: { hint: expect.stringMatching(/GRANT SELECT, INSERT, UPDATE, DELETE/) },
  })
  const reading = await openTestStore({ address: url.href, isCreated: false, isOnlyRead: true })
  expect((await reading.stats()).records.contact).toBe(0)
})
