import { DatabaseSync } from 'node:sqlite'
import { expect, inject, test } from 'vitest'
import { connectTo, newDatabase, openTestStore } from '../../harness/database.ts'
import { creation } from './samples.ts'

/** Statements on a database that no store has open. */
async function change(address: string, sql: string): Promise<void> {
  if (inject('postgres')) return void (await (await connectTo(address)).query(sql))
  const database = new DatabaseSync(address)
  database.exec(sql)
  database.close()
}

const COMPANY = 'comp_0abcdefghjk'

/** As versions without companies and tasks left it. */
async function earlierDatabase(): Promise<string> {
  const address = await newDatabase()
  const store = await openTestStore({ address })
  for (const fields of [{ name: 'Ada', company_id: COMPANY }, { name: 'Bea', company_id: '' }, { name: 'Cy' }])
    await store.write(creation('contact', fields))
  await store.write(creation('contact', { name: 'Dee', of: { company_id: COMPANY } }))
  await store.close()
  const mark = inject('postgres')
    ? 'UPDATE crm_schema SET version = version - 1'
    : `PRAGMA user_version = ${Number(versionOf(address)) - 1}`
  await change(
    address,
    `DROP INDEX contacts_by_company_id; ALTER TABLE contacts DROP COLUMN company_id; DROP TABLE companies; DROP TABLE tasks; ${mark}`,
  )
  return address
}

function versionOf(address: string): unknown {
  const database = new DatabaseSync(address)
  const row = database.prepare('PRAGMA user_version').get()
  database.close()
  return row?.user_version
}

test('a database of an earlier version gets companies and tasks, and its contacts are found by company_id', async () => {
  const address = await earlierDatabase()
  const [store, other] = await Promise.all([openTestStore({ address }), openTestStore({ address })])
  const query = { limit: 10, olderThanId: undefined }
  const found = await store.page('contact', query, { values: { company_id: [COMPANY] } })
  expect(found.texts.map((text) => JSON.parse(text).name)).toEqual(['Ada'])
  await store.write(creation('company', { name: 'Engines', domain: 'Engines.test' }))
  await other.write(creation('task', { title: 'Call', company_id: COMPANY }))
  expect((await other.page('company', query, { values: { domain: ['engines.TEST'] } })).texts).toHaveLength(1)
  expect((await store.page('task', query, { values: { company_id: [COMPANY] } })).texts).toHaveLength(1)
  expect((await store.stats()).records).toMatchObject({ contact: 4, company: 1, task: 1 })
})
