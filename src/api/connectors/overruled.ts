import type { JsonObject } from '../../core/json.ts'
import type { FieldMap, References } from './field-map.ts'
import type { OwnNames } from './own-names.ts'
import { setMember } from './paths.ts'
import { isContradicted, type WrittenRecord } from './write-field.ts'

/** Own members of a row that contradict a field which is written there, with the name of the field. */
export type Overruled = (values: JsonObject, references?: References) => ReadonlyMap<string, string>

export function createOverruled(fields: readonly FieldMap[], own: OwnNames): Overruled {
  const byHead = fields.map((field) => ({ field, heads: headsOf(field) }))
  return (values, references) => {
    const overruled = new Map<string, string>()
    for (const { field, heads } of byHead) {
      if (!Object.hasOwn(values, field.name)) continue
      const members = membersAt(heads, values, own)
      if (members.length === 0 || !isContradicted(field, draftOf(members, values, references))) continue
      for (const { name } of members) overruled.set(name, field.name)
    }
    return overruled
  }
}

function draftOf(members: readonly Member[], values: JsonObject, references: References | undefined): WrittenRecord {
  const target: JsonObject = {}
  for (const { name, head } of members) setMember(target, head, values[name] ?? null)
  const given = new Set(members.map(({ head }) => head))
  return { target, values, given, current: undefined, options: { isCreate: false, references } }
}

interface Member {
  readonly name: string
  /** The server's name. */
  readonly head: string
}

function membersAt(heads: ReadonlySet<string>, values: JsonObject, own: OwnNames): readonly Member[] {
  return Object.keys(values).flatMap((name) => {
    const head = own.ownNameOf(name)
    return head !== undefined && heads.has(head) ? [{ name, head }] : []
  })
}

/** The members of `inside` in which the field is written. */
function headsOf({ writes }: FieldMap): ReadonlySet<string> {
  return new Set(writes.flatMap(({ steps: [step] }) => (step?.type === 'member' ? [step.name] : [])))
}
