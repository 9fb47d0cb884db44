import { encodeId } from '../../core/ids.ts'
import { type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import { uniqueValues } from './change-rules.ts'
import type { Session, Transaction } from './sql.ts'
import type { SharedValue, UniqueMember } from './store.ts'

/** Records that are read at once when a member becomes unique. */
const RECORDS_PER_STEP = 5000

/** A value that another record has already. */
export interface TakenValue {
  readonly member: string
  readonly existingId: string
}

export const SELECT_UNIQUE_MEMBERS = 'SELECT resource, member FROM unique_fields ORDER BY resource, member'

export async function readUniqueMembers(session: Session): Promise<readonly UniqueMember[]> {
  const rows = await session.all<readonly [OpenResource, string]>(SELECT_UNIQUE_MEMBERS)
  return rows.map(([resource, member]) => ({ resource, member }))
}

export function uniqueMembersOf(unique: readonly UniqueMember[], resource: string): readonly string[] {
  return unique.filter((each) => each.resource === resource).map(({ member }) => member)
}

/** Reads every record of a resource once when members of it are added. */
export async function replaceUniqueMembers(
  tx: Transaction,
  wanted: readonly UniqueMember[],
): Promise<readonly SharedValue[]> {
  const before = await readUniqueMembers(tx)
  const added = without(wanted, before)
  for (const { resource, member } of added) {
    await tx.run('INSERT INTO unique_fields (resource, member) VALUES ($1, $2)', resource, member)
  }
  const shared: SharedValue[] = []
  for (const resource of new Set(added.map((each) => each.resource))) {
    shared.push(...(await addRecords(tx, resource, uniqueMembersOf(added, resource))))
  }
  for (const { resource, member } of shared.length > 0 ? added : without(before, wanted)) {
    await tx.run('DELETE FROM unique_fields WHERE resource = $1 AND member = $2', resource, member)
  }
  return shared
}

function without(members: readonly UniqueMember[], others: readonly UniqueMember[]): readonly UniqueMember[] {
  return members.filter(
    ({ resource, member }) => !others.some((other) => other.resource === resource && other.member === member),
  )
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
      [...uniqueValues(text, members)].map(([member, value]) => ({ resource, member, value, serial })),
    )
    const holders = await Promise.all(values.map((each) => addValue(tx, each)))
    for (const [place, { member, value, serial }] of values.entries()) {
      const holder = holders[place]
      if (holder === undefined) continue
      const key = JSON.stringify([member, value])
      const known = shared.get(key) ?? { resource, member, value, ids: [encodeId(resource, holder)] }
      known.ids.push(encodeId(resource, serial))
      shared.set(key, known)
    }
  }
}

/** Adds a value, or returns the serial of the record that has it. */
async function addValue(
  tx: Transaction,
  { resource, member, value, serial }: UniqueMember & { readonly value: string; readonly serial: number },
): Promise<number | undefined> {
  const place = [resource, member, tx.dialect.bounded(value)]
  const added = await tx.run(
    'INSERT INTO unique_field_values (resource, member, value, record_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    ...place,
    serial,
  )
  if (added > 0) return undefined
  const holder = await tx.get<[number]>(
    'SELECT record_id FROM unique_field_values WHERE resource = $1 AND member = $2 AND value = $3',
    ...place,
  )
  return holder?.[0]
}
