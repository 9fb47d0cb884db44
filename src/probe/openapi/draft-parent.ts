import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { PARENTS } from './path-parts.ts'
import { parentOf } from './path-texts.ts'
import { escaped } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import { isLinkTo, memberNamed, nameFit } from './server-names.ts'

export interface DraftParent {
  /** The plural of the resource whose records these belong to. */
  readonly parent: string | undefined
  readonly operations: JsonObject
  /** Fields that the parent gives. */
  readonly dropped: readonly string[]
}

/** Notes belong to deals, and stages to pipelines: by their path, or by a parameter and a member with the id of the parent. */
export function draftParent(context: ResourceContext, operations: JsonObject): DraftParent {
  const { resource, collection, offered, record, writeView, decisions, at, made } = context
  const none = { parent: undefined, operations, dropped: [] }
  const parent = PARENTS[resource]
  if (!parent) return none
  const nested = parentOf(collection.slots)
  if (nested !== undefined) return { parent: nested, operations, dropped: ['pipeline_id'] }
  if (resource !== 'note') return none
  if (!made.has(parent)) {
    decisions.decide([...at, 'parent'], `crm keeps notes with a deal, and the draft lacks ${RESOURCES[parent].plural}`)
    return none
  }
  const parameter = offered.list?.parameters.find(({ name, in: place }) => place === 'query' && isLinkTo(parent, name))
  const member = [...record.members.keys()].find((name) => isLinkTo(parent, name))
  const written = writeView && [...writeView.members.keys()].find((name) => isLinkTo(parent, name))
  if (!parameter && member === undefined) return anyParent(context, operations)
  const list = { ...asObject(operations.list) }
  if (parameter) list.query = { ...asObject(list.query), [parameter.name]: '{parent}' }
  else if (member !== undefined) list.keep = { [escaped(member)]: '{parent}' }
  const changed: JsonObject = { ...operations, list }
  if (operations.create !== undefined && written !== undefined) {
    changed.create = { ...asObject(operations.create), set: { [written]: '{parent}' } }
  }
  return { parent: RESOURCES[parent].plural, operations: changed, dropped: [] }
}

const ANY_IDS = ['parentrecordid', 'parentid', 'entityid', 'recordid', 'objectid', 'targetid', 'relatedid', 'subjectid']
const ANY_KINDS = [
  'parentobject',
  'parenttype',
  'entitytype',
  'objecttype',
  'recordtype',
  'parentobjecttype',
  'targettype',
]

/** A note of a record of any kind: two members name the kind and the record. */
function anyParent(context: ResourceContext, operations: JsonObject): DraftParent {
  const { offered, writeView, decisions, at, api } = context
  const parameters = offered.list?.parameters.filter((each) => each.in === 'query') ?? []
  const names = new Map(parameters.map(({ name }) => [name, name]))
  const [idParameter, kindParameter] = [memberNamed(names, ANY_IDS), memberNamed(names, ANY_KINDS)]
  const writeMembers = writeView?.members ?? new Map<string, JsonValue>()
  const [id, kind] = [memberNamed(writeMembers, ANY_IDS), memberNamed(writeMembers, ANY_KINDS)]
  const { plural } = RESOURCES.deal
  if (idParameter === undefined || kindParameter === undefined) {
    decisions.decide(
      [...at, 'parent'],
      'crm keeps notes with a deal, and neither a parameter of the list nor a member of a note is the id of one: parent: deals, and where its id goes',
    )
    return { parent: undefined, operations, dropped: [] }
  }
  const values = parameters.find(({ name }) => name === kindParameter)?.schema.values ?? []
  const named = kind === undefined || !writeView ? [] : (api.schemas.member(writeView, kind)?.values ?? [])
  const value = [...values, ...named].find((each) => typeof each === 'string' && nameFit('deal', each) > 0)
  if (value === undefined)
    decisions.decide(
      [...at, 'list'],
      `the document does not say what ${kindParameter} is for a deal; ${plural} is assumed`,
    )
  const list = asObject(operations.list)
  const query = { ...asObject(list.query), [kindParameter]: value ?? plural, [idParameter]: '{parent}' }
  const changed: JsonObject = { ...operations, list: { ...list, query } }
  if (operations.create !== undefined && id !== undefined) {
    const set = { ...(kind !== undefined && { [kind]: value ?? plural }), [id]: '{parent}' }
    changed.create = { ...asObject(operations.create), set }
  }
  return { parent: plural, operations: changed, dropped: [] }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
