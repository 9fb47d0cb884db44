import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { encodeId } from '../../../../src/core/ids.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { additions } from '../../../../src/service/store/schema.ts'
import { MIGRATIONS } from '../../../../src/service/store/sqlite/migrations.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FIRST_SCHEMA } from './first-schema.ts'

const VERSIONS = MIGRATIONS.map((_, place) => place + 1)

test.each(VERSIONS)(
  'a database of schema %i has the schema of a new one after its migration, and its records',
  async (version) => {
    const folder = await temporaryFolder()
    const [file, newFile] = [join(folder, 'old.db'), join(folder, 'new.db')]
    const old = new DatabaseSync(file)
    old.function('contact_column', (_text, _name) => null)
    for (const step of [FIRST_SCHEMA, ...MIGRATIONS].slice(0, version)) old.exec(step)
    old.exec(`
    INSERT INTO contacts (id, version, text) VALUES (4096, 3, '{"name":"Ada"}');
    INSERT INTO deals (id, version, name, stage, pipeline_id, text) VALUES (8192, 1, 'a', 'Lead', 'sales', '{"name":"a"}');
    INSERT INTO notes (id, deal_id, version, text) VALUES (12288, 8192, 1, '{"body":"b"}');
    PRAGMA user_version = ${version}; PRAGMA application_id = ${0x43524d31}`)
    old.close()
    const schemas = []
    for (const address of [file, newFile]) {
      await (await openStore({ address, now: Date.now })).close()
      schemas.push(schemaOf(address))
    }
    expect(schemas[0]).toEqual(schemas[1])
    const store = await openStore({ address: file, now: Date.now })
    onTestFinished(() => store.close())
    const found = await store.records('contact', [encodeId('contact', 4096)])
    expect([...found.values()]).toMatchObject([{ version: 3, text: '{"name":"Ada"}' }])
    expect((await store.stats()).records).toMatchObject({ contact: 1, deal: 1, note: 1 })
  },
)

test('a column, a table and an index that the schema names are added to a database without them', async () => {
  const folder = await temporaryFolder()
  const [file, newFile] = [join(folder, 'old.db'), join(folder, 'new.db')]
  for (const address of [file, newFile]) await (await openStore({ address, now: Date.now })).close()
  const old = new DatabaseSync(file)
  old.exec('ALTER TABLE deliveries DROP COLUMN claim; DROP TABLE fixture_runs; DROP INDEX history_by_job')
  const added = ['deliveries.claim', 'fixture_runs', 'history_by_job', '<UPDATE sequence SET rules_version = 7|>']
  for (const step of additions('sqlite', added)) old.exec(step)
  expect(old.prepare('SELECT rules_version FROM sequence').get()).toEqual({ rules_version: 7 })
  old.close()
  expect(schemaOf(file)).toEqual(schemaOf(newFile))
})

/** Every object of the database but for white space, and the version. */
function schemaOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const objects = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  const version = db.prepare('PRAGMA user_version').get()
  db.close()
  const sqlOf = (sql: unknown) =>
    typeof sql === 'string' ? sql.replaceAll(/\s+/g, ' ').replaceAll(/ ?([(),]) ?/g, '$1') : sql
  return { version, objects: objects.map((object) => ({ ...object, sql: sqlOf(object.sql) })) }
}
