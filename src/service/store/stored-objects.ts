import { isPostgresUri } from '../../core/database-uri.ts'
import type { DescribedObjects } from '../../core/resources/own-objects.ts'
import type { Env } from '../../core/streams.ts'
import type { Transaction } from './sql.ts'

const READ = 'SELECT plural, description FROM objects ORDER BY plural'

type Row = readonly [plural: string, description: string]

/**
 * The objects that users have described, none for a database that does not exist yet. Read before anything that makes tables and
 * routes of the registry is loaded, so this imports nothing of it.
 */
export async function readStoredObjects(address: string, env: Env): Promise<DescribedObjects> {
  const rows = isPostgresUri(address)
    ? await (await import('./postgres/first-look.ts')).lookAt<Row>(address, env, 'objects', READ)
    : (await import('./sqlite/first-look.ts')).lookAt<Row>(address, 'objects', READ)
  return described(rows)
}

function described(rows: readonly Row[]): DescribedObjects {
  return Object.fromEntries(rows.map(([plural, description]) => [plural, JSON.parse(description)]))
}

/** Adds objects, or replaces the descriptions of those that are there. */
export async function putObjects(tx: Transaction, objects: DescribedObjects): Promise<void> {
  for (const [plural, object] of Object.entries(objects)) {
    const sql = `INSERT INTO objects (plural, description) VALUES ($1, $2)
      ON CONFLICT (plural) DO UPDATE SET description = excluded.description`
    await tx.run(sql, plural, JSON.stringify(object))
  }
}
