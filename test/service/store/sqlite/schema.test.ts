import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FIRST_SCHEMA } from './first-schema.ts'

test('a database of the first crm has the schema of a new one after its migration', async () => {
  const folder = await temporaryFolder()
  const [file, newFile] = [join(folder, 'old.db'), join(folder, 'new.db')]
  const old = new DatabaseSync(file)
  old.exec(`${FIRST_SCHEMA} PRAGMA user_version = 1; PRAGMA application_id = ${0x43524d31};`)
  old.close()
  const schemas = []
  for (const address of [file, newFile]) {
    await (await openStore({ address, now: Date.now })).close()
    schemas.push(schemaOf(address))
  }
  expect(schemas[0]).toEqual(schemas[1])
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
