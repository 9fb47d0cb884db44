import { idText, type JsonObject, type JsonValue } from '../core/json.ts'
import { linkIn, linkText, wholeLinks } from '../core/links.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { type ParentRecord, parentIn, parentMember } from '../core/resources/parents.ts'
import { type CrmRecord, fieldOf, isReadOnly, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { RowRules } from '../jobs/plan/planning.ts'
import type { IdMap } from './id-map.ts'
import type { stageChoice } from './stages.ts'

/** What both servers say of the records of one resource. */
export interface CarryRules {
  readonly type: Resource
  readonly ids: Pick<IdMap, 'idOf'>
  readonly stageOf: ReturnType<typeof stageChoice>
  /** Whether the source sets this member itself. */
  isSetBySource(name: string): boolean
  /** Whether the target has this member. */
  isKnown(name: string): boolean
  /** The resource whose ids this member has; undefined where it is no reference, or one to users. */
  referenceOf(name: string): Resource | undefined
  /** Fields of links that the source keeps beside its records, with the fields of the target for them. */
  readonly links: ReadonlyMap<string, LinkTarget>
  /** What the connector of the target allows. */
  readonly rules: RowRules
}

export interface LinkTarget {
  readonly field: string
  /** It has one id, not a list. */
  readonly isSingle: boolean
  /** The labels that its links can have. */
  readonly labels: ReadonlySet<string>
}

export interface Carried {
  /** The body of the create; what a note is on is in its path. */
  readonly body: JsonObject
  /** What a note is on, on the target; undefined for other records, and where that is not there. */
  readonly parent: ParentRecord | undefined
  /** Members with values that are not carried over. */
  readonly left: readonly string[]
  /** Why the target cannot keep the record; undefined if it can. */
  readonly fault: string | undefined
}

/** The record for the target: without ids, times and version, and with references to records of the target. */
export function carried(how: CarryRules, record: CrmRecord): Carried {
  const { type, stageOf, rules } = how
  const given: JsonObject = {}
  const left: string[] = []
  const { from, parent } = parentsOf(how, record)
  const member = from && parentMember(from.of)
  const own = type === 'deal' ? stageMembers(stageOf, record) : {}
  for (const name of Object.keys({ ...record, ...own })) {
    if (isNeverCarried(how, name) || name === member) continue
    const { to, value, isWhole } = keptOf(how, name, { record, own })
    const isKept = !isEmpty(value) && how.isKnown(to)
    if (isKept) given[to] = value
    if (String(record[name] ?? '') !== '' && !(isKept && isWhole)) left.push(name)
  }
  const body = rules.shown(given)
  return { body, parent, left, fault: faultOf(how, { body, from, parent }) }
}

interface Parents {
  readonly from: ParentRecord | undefined
  readonly parent: ParentRecord | undefined
}

/** What a note is on, at the source and on the target. */
function parentsOf({ rules, ids }: CarryRules, record: CrmRecord): Parents {
  const from = parentIn(record, rules.parents)
  const id = from && ids.idOf(from.of, from.id)
  return { from, parent: from && id !== undefined ? { of: from.of, id } : undefined }
}

function faultOf({ type, rules }: CarryRules, { body, from, parent }: { body: JsonObject } & Parents) {
  if (Object.keys(body).length === 0) return 'it has no member that is carried over'
  if (type === 'note' && !from) return `it is on no ${rules.parents.join(' or ')}, and the target takes no other notes`
  if (type === 'note' && !parent) return `its ${from?.of} ${from?.id} was not migrated`
  return rules.faultIn(body, undefined)
}

function stageMembers(stageOf: CarryRules['stageOf'], { stage, pipeline_id: pipelineId }: CrmRecord): JsonObject {
  const name = idText(stage)
  if (name === undefined) return {}
  const target = stageOf({ stage: name, pipelineId: idText(pipelineId) })
  if ('reason' in target) return {}
  return { stage: target.stage, pipeline_id: target.pipelineId ?? null }
}

interface Kept {
  /** The member of the target. */
  readonly to: string
  /** Undefined for a value that means nothing on the target: the id of a user, or of a record that was not migrated. */
  readonly value: JsonValue | undefined
  /** Whether nothing of it was left out. */
  readonly isWhole: boolean
}

function keptOf(how: CarryRules, name: string, { record, own }: { record: CrmRecord; own: JsonObject }): Kept {
  if (Object.hasOwn(own, name)) return { to: name, value: own[name], isWhole: true }
  const { type, ids } = how
  const value = record[name]
  const to = how.referenceOf(name)
  const link = how.links.get(name)
  if (to === undefined) return { to: name, value: isReference(type, name) ? undefined : value, isWhole: true }
  if (link) return keptLinks(link, [value].flat().map(String), (id) => ids.idOf(to, id))
  if (!Array.isArray(value)) return { to: name, value: ids.idOf(to, idText(value) ?? ''), isWhole: true }
  const known = value.flatMap((each) => ids.idOf(to, idText(each) ?? '') ?? [])
  const isNone = known.length === 0 && value.length > 0
  return { to: name, value: isNone ? undefined : known, isWhole: known.length === value.length }
}

/** Without the labels that the target lacks; of several links, a member with one id keeps none. */
function keptLinks(
  { field: to, isSingle, labels }: LinkTarget,
  links: readonly string[],
  idOf: (id: string) => string | undefined,
): Kept {
  const all = links.map(linkIn)
  const [{ id = '' } = {}, ...others] = all.filter(({ label }) => label === undefined)
  if (isSingle) return { to, value: others.length === 0 ? idOf(id) : undefined, isWhole: all.length === 1 }
  const known = all.flatMap((link) => {
    const there = idOf(link.id)
    const label = link.label !== undefined && labels.has(link.label) ? link.label : undefined
    return there === undefined || link.label !== label ? [] : linkText(there, label)
  })
  return { to, value: known.length > 0 ? wholeLinks(known) : undefined, isWhole: known.length === all.length }
}

/** Whether this resource, or any that crm has, has a field of this name that holds the id of another record. */
function isReference(type: Resource, name: string): boolean {
  return Object.entries<ResourceDefinition>(RESOURCES).some(
    ([each, { isOwn }]) => (each === type || !isOwn) && fieldOf(each as Resource, name)?.type === 'reference',
  )
}

function isNeverCarried({ isSetBySource }: CarryRules, name: string): boolean {
  return isReadOnly(name) || isSetBySource(name)
}

/** A new record without the member is the same. */
export function isEmpty(value: JsonValue | undefined): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}
