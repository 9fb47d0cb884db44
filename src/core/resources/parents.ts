import { CrmError } from '../errors.ts'
import { idText, type JsonValue } from '../json.ts'
import { shellWord } from '../shell-words.ts'
import type { ResourceDefinition } from './field.ts'
import { type CrmRecord, RESOURCES, type Resource } from './registry.ts'

/** The record that another one belongs to: the contact, company or deal that a note is on. */
export interface ParentRecord {
  readonly of: Resource
  readonly id: string
}

/** The id of a record of the usual kind, of a deal for a note, or a record of any kind. */
export type GivenParent = string | ParentRecord | undefined

export function parentRecord(resource: Resource, given: GivenParent): ParentRecord | undefined {
  const { parent: of }: ResourceDefinition = RESOURCES[resource]
  if (of === undefined || given === undefined) return undefined
  return typeof given === 'object' ? given : { of, id: given }
}

/** The member that names the parent: `deal_id`. */
export function parentMember(of: Resource): string {
  return `${RESOURCES[of].singular}_id`
}

/** The parent that a record names, of these kinds: by its id, or by the first of several in `contact_ids`. */
export function parentIn(record: CrmRecord, kinds: readonly Resource[]): ParentRecord | undefined {
  for (const of of kinds) {
    const member = parentMember(of)
    const [first]: readonly (JsonValue | undefined)[] = [record[`${member}s`]].flat()
    const id = idText(record[member]) ?? idText(first)
    if (id !== undefined) return { of, id }
  }
  return undefined
}

/** Some servers take notes on contacts and companies, too; what others have is said by their connectors. */
export const NOTE_PARENTS = ['deal', 'contact', 'company'] as const satisfies readonly Resource[]

/** What a member of a note is the id of, where it may be that of its parent on any server. */
export function parentNamed(resource: Resource, member: string): Resource | undefined {
  return resource === 'note' ? NOTE_PARENTS.find((of) => parentMember(of) === member) : undefined
}

/** For a resource, or a word that is none, that the server has no notes on; `id` is that of such a record. */
export function noParent(connector: string, kinds: readonly Resource[], of: string, id?: string): CrmError {
  const nouns = kinds.map((each) => RESOURCES[each].plural)
  const listed = nouns.length === 1 ? `${nouns[0]} alone` : `${nouns.slice(0, -1).join(', ')} and ${nouns.at(-1)}`
  const asked = Object.hasOwn(RESOURCES, of) ? RESOURCES[of as Resource].plural : JSON.stringify(of)
  const [first = 'deal'] = kinds
  const what = id === undefined ? asked : `the ${of} ${id}`
  return new CrmError('usage', `${connector} (connector) has notes on ${listed}, not on ${what}`, {
    hint: `crm notes list ${first.toUpperCase()}_ID${onFlag(first)}`,
  })
}

/** Of commands: deals need none. */
export function onFlag(of: Resource): string {
  return of === 'deal' ? '' : ` --on ${shellWord(RESOURCES[of].plural)}`
}
