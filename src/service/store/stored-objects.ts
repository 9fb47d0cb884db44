import { isPostgresUri } from '../../core/database-uri.ts'
import { CrmError } from '../../core/errors.ts'
import { type DescribedObjects, OBJECT_NAME } from '../../core/resources/own-objects.ts'
import type { Env } from '../../core/streams.ts'
import type { Transaction } from './sql.ts'

export const READ_OBJECTS = 'SELECT plural, description FROM objects ORDER BY plural'

type Row = readonly [plural: string, description: string]

/**
 * The objects that users have described, none for a database that does not exist yet. Read before anything that makes tables and
 * routes of the registry is loaded, so this imports nothing of it.
 */
export async function readStoredObjects(address: string, env: Env): Promise<DescribedObjects> {
  const rows = isPostgresUri(address)
    ? await (await import('./postgres/first-look.ts')).lookAt<Row>(address, env, 'objects', READ_OBJECTS)
    : (await import('./sqlite/first-look.ts')).lookAt<Row>(address, 'objects', READ_OBJECTS)
  return objectsIn(rows)
}

/** Those of the rows that READ_OBJECTS finds. CrmError `machine` for names that `--objects` would refuse: they become parts of statements. */
export function objectsIn(rows: readonly Row[]): DescribedObjects {
  const objects: DescribedObjects = Object.fromEntries(
    rows.map(([plural, description]) => [plural, JSON.parse(description)]),
  )
  const names = Object.entries(objects).flatMap(([plural, { one, fields }]) => [plural, one, ...Object.keys(fields)])
  const wrong = names.find((name) => !new RegExp(OBJECT_NAME).test(name))
  if (wrong === undefined) return objects
  throw new CrmError(
    'machine',
    `the database has an object or a field ${JSON.stringify(wrong)}, which crm does not make`,
    {
      hint: 'name another database, or restore a backup',
    },
  )
}

/** Adds objects, or replaces the descriptions of those that are there. */
export async function putObjects(tx: Transaction, objects: DescribedObjects): Promise<void> {
  for (const [plural, object] of Object.entries(objects)) {
    const sql = `INSERT INTO objects (plural, description) VALUES ($1, $2)
      ON CONFLICT (plural) DO UPDATE SET description = excluded.description`
    await tx.run(sql, plural, JSON.stringify(object))
  }
}
