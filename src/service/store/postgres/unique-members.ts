import { decodeId, encodeId } from '../../../core/ids.ts'
import { type OpenResource, RESOURCES } from '../../../core/resources/registry.ts'
import { uniqueValues } from '../change-rules.ts'
import type { SharedValue, UniqueMember } from '../store.ts'
import { bounded } from './bounded-text.ts'
import type { Session, Transaction } from './database.ts'

/** Records that are read at once when a member becomes unique. */
const RECORDS_PER_STEP = 5000

export async function readUniqueMembers(session: Session): Promise<readonly UniqueMember[]> {
  const rows = await session.all<readonly [OpenResource, string]>(
    'SELECT resource, member FROM unique_fields ORDER BY resource, member',
  )
  return rows.map(([resource, member]) => ({ resource, member }))
}

/** Reads every record of a resource once when members of it are added. In a transaction that writes. */
export async function replaceUniqueMembers(
  tx: Transaction,
  wanted: readonly UniqueMember[],
): Promise<readonly SharedValue[]> {
  const before = await readUniqueMembers(tx)
  const added = wanted.filter((each) => !before.some((other) => isSame(each, other)))
  await tx.run(
    'INSERT INTO unique_fields (resource, member) SELECT * FROM unnest($1::text[], $2::text[])',
    added.map(({ resource }) => resource),
    added.map(({ member }) => member),
  )
  const shared: SharedValue[] = []
  for (const resource of new Set(added.map(({ resource }) => resource))) {
    shared.push(...(await addRecords(tx, resource, uniqueMembersOf(added, resource))))
  }
  const ended = shared.length > 0 ? added : before.filter((each) => !wanted.some((other) => isSame(each, other)))
  await tx.run(
    'DELETE FROM unique_fields WHERE (resource, member) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
    ended.map(({ resource }) => resource),
    ended.map(({ member }) => member),
  )
  return shared
}

function isSame(one: UniqueMember, other: UniqueMember): boolean {
  return one.resource === other.resource && one.member === other.member
}

export function uniqueMembersOf(unique: readonly UniqueMember[], resource: string): readonly string[] {
  return unique.filter((each) => each.resource === resource).map(({ member }) => member)
}

/** Adds the values of all records. Shared values are not added and returned. */
async function addRecords(
  tx: Transaction,
  resource: OpenResource,
  members: readonly string[],
): Promise<readonly SharedValue[]> {
  const shared = new Map<string, SharedValue & { readonly ids: string[] }>()
  for (let after = 0; ; ) {
    const rows = await tx.all<readonly [number, string]>(
      `SELECT id, text FROM ${RESOURCES[resource].plural} WHERE id > $1 ORDER BY id LIMIT ${RECORDS_PER_STEP}`,
      after,
    )
    const last = rows.at(-1)
    if (!last) return [...shared.values()]
    after = last[0]
    const values = rows.flatMap(([serial, text]) =>
      [...uniqueValues(text, members)].map(([member, value]) => ({ member, value, serial })),
    )
    const holders = await insertFree(tx, resource, values)
    for (const { member, value, serial } of values) {
      const holder = holders.get(valueKey(resource, member, value))
      if (holder === undefined || holder === serial) continue
      const key = valueKey(resource, member, value)
      const known = shared.get(key) ?? { resource, member, value, ids: [encodeId(resource, holder)] }
      known.ids.push(encodeId(resource, serial))
      shared.set(key, known)
    }
  }
}

/** Adds values that no record has; of a value of several records, that of the first. Returns the holder of each. */
async function insertFree(
  tx: Transaction,
  resource: OpenResource,
  values: readonly { readonly member: string; readonly value: string; readonly serial: number }[],
): Promise<ReadonlyMap<string, number>> {
  await tx.run(
    `INSERT INTO unique_field_values (resource, member, value, record_id)
      SELECT $1, member, value, min(serial) FROM unnest($2::text[], $3::text[], $4::bigint[]) AS given (member, value, serial)
      GROUP BY member, value ON CONFLICT DO NOTHING`,
    resource,
    values.map(({ member }) => member),
    values.map(({ value }) => bounded(value)),
    values.map(({ serial }) => serial),
  )
  return findHolders(
    tx,
    values.map(({ member, value }) => ({ resource, member, value })),
  )
}

/** The serial of the record that has each value, by `valueKey`. */
export async function findHolders(
  session: Session,
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
  tx: Transaction,
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
