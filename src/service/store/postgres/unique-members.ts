import { decodeId } from '../../../core/ids.ts'
import type { OpenResource } from '../../../core/resources/registry.ts'
import { bounded } from './bounded-text.ts'
import type { PostgresSession, PostgresTransaction } from './database.ts'

/** The serial of the record that has each value, by `valueKey`. */
export async function findHolders(
  session: PostgresSession,
  values: readonly { readonly resource: OpenResource; readonly member: string; readonly value: string }[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.all<readonly [string, string, string, number]>(
    `SELECT resource, member, value, record_id FROM unique_field_values
      WHERE (resource, member, value) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`,
    values.map(({ resource }) => resource),
    values.map(({ member }) => member),
    values.map(({ value }) => bounded(value)),
  )
  return new Map(rows.map(([resource, member, column, serial]) => [JSON.stringify([resource, member, column]), serial]))
}

export function valueKey(resource: string, member: string, value: string): string {
  return JSON.stringify([resource, member, bounded(value)])
}

/** Replaces the unique values of records; those of removed records end. */
export function storeUniqueValues(
  tx: PostgresTransaction,
  changed: readonly {
    readonly resource: OpenResource
    readonly id: string
    readonly values: ReadonlyMap<string, string>
  }[],
): void {
  tx.later(
    `DELETE FROM unique_field_values WHERE (resource, record_id) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))`,
    changed.map(({ resource }) => resource),
    changed.map(({ resource, id }) => decodeId(resource, id) ?? 0),
  )
  const rows = changed.flatMap(({ resource, id, values }) =>
    [...values].map(([member, value]) => [resource, member, bounded(value), decodeId(resource, id) ?? 0] as const),
  )
  tx.later(
    `INSERT INTO unique_field_values (resource, member, value, record_id)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`,
    rows.map(([resource]) => resource),
    rows.map(([, member]) => member),
    rows.map(([, , value]) => value),
    rows.map(([, , , serial]) => serial),
  )
}
