import type { Field } from '../../core/resources/field.ts'
import { STORED_RESOURCES, type StoredResource, writableFields } from '../../core/resources/registry.ts'
import { type Members, parseJsonText } from '../json-text.ts'
import { invalidValues } from '../problem.ts'
import type { StoredRecord, StoreWrite, WriteState } from '../store/store.ts'
import { elementsOf, pointer, stringOf } from './rules.ts'

/** The fields with ids of other records, found once, as every write needs them. */
const FIELDS = new Map(
  STORED_RESOURCES.map((resource) => [
    resource,
    writableFields(resource).flatMap(([name, { to }]: readonly [string, Field]) =>
      to === undefined ? [] : [{ name, to: to as StoredResource }],
    ),
  ]),
)

/** The records that members name; undefined if they name none. */
export function referencesIn(resource: StoredResource, members: Members): StoreWrite['references'] {
  const found = (FIELDS.get(resource) ?? []).flatMap(({ name, to }) =>
    idsIn(members, name).map((id) => ({ member: name, resource: to, id })),
  )
  return found.length === 0 ? undefined : found
}

function idsIn(members: Members, name: string): readonly string[] {
  const node = members.get(name)
  if (node === undefined) return []
  return (elementsOf(node) ?? [node]).map(stringOf).filter((id) => id !== undefined)
}

/** A record may go on naming one that was deleted; nothing may begin to. Throws one Problem that names every such id. */
export function requireReferences({ missing = [] }: WriteState, current?: StoredRecord): void {
  if (missing.length === 0) return
  const before: Members = current ? (parseJsonText(current.text) as Members) : new Map()
  const faults = missing
    .filter(({ member, id }) => !idsIn(before, member).includes(id))
    .map(({ member, resource, id }) => ({
      pointer: pointer(member),
      code: 'not_found',
      detail: `there is no ${resource} ${JSON.stringify(id)}`,
    }))
  if (faults.length > 0) throw invalidValues(faults)
}
