import { type JsonObject, objectOf } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { isLinkTo, memberNamed, nameFit } from '../names.ts'
import { hasSlot, PARENTS } from './paths.ts'
import { escaped } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'

interface DraftParent {
  /** The plural of the resource whose records these belong to. */
  readonly parent: string | undefined
  readonly operations: JsonObject
  /** Fields that the parent gives. */
  readonly dropped: readonly string[]
}

/** Notes belong to deals, and stages to pipelines: by their path, or by a parameter and a member with the id of the parent. */
export function draftParent(context: ResourceContext, operations: JsonObject): DraftParent {
  const { resource, collection, offered, record, writeView, decide, decisions, made } = context
  const none = { parent: undefined, operations, dropped: [] }
  const parent = PARENTS[resource]
  if (!parent) return none
  const { plural } = RESOURCES[parent]
  if (hasSlot(collection, 'parent')) return { parent: plural, operations, dropped: ['pipeline_id'] }
  if (resource !== 'note') return none
  if (!made.has(parent)) {
    decide('.parent', `crm keeps notes with a deal, and the draft lacks ${plural}`)
    return none
  }
  const named = decisions.answer('notes.parent')
  const isLink = (name: string) => (named === undefined ? isLinkTo(parent, name) : name === named)
  const parameter = offered.list?.parameters.find(({ name, in: place }) => place === 'query' && isLink(name))
  const member = [...record.members.keys()].find(isLink)
  const written = [...(writeView?.members.keys() ?? [])].find(isLink)
  if (!parameter && member === undefined) return { ...none, ...anyParent(context, operations) }
  const linked = parameter
    ? { query: { ...objectOf(objectOf(operations.list).query), [parameter.name]: '{parent}' } }
    : { keep: { [escaped(member ?? '')]: '{parent}' } }
  const set = written === undefined ? undefined : { [written]: '{parent}' }
  return { parent: plural, operations: withLink(operations, linked, set), dropped: [] }
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
function anyParent(
  { offered, writeView, decide }: ResourceContext,
  operations: JsonObject,
): Pick<DraftParent, 'parent' | 'operations'> {
  const parameters = new Map(
    offered.list?.parameters.filter((each) => each.in === 'query').map((each) => [each.name, each]),
  )
  const [idName, kindName] = [memberNamed(parameters, ANY_IDS), memberNamed(parameters, ANY_KINDS)]
  if (idName === undefined || kindName === undefined) {
    const lacks = 'neither a parameter of the list nor a member of a note is the id of one'
    decide('.parent', `crm keeps notes with a deal, and ${lacks}: parent: deals, and where its id goes`)
    return { parent: undefined, operations }
  }
  const { plural } = RESOURCES.deal
  const [id, kind] = [ANY_IDS, ANY_KINDS].map((names) => writeView && memberNamed(writeView.members, names))
  const values = [...(parameters.get(kindName)?.schema.values ?? []), ...(writeView?.member(kind ?? '')?.values ?? [])]
  const named = values.find((each) => typeof each === 'string' && nameFit('deal', each) > 0)
  if (named === undefined)
    decide('.verbs.list', `the document does not say what ${kindName} is for a deal; ${plural} is assumed`)
  const value = named ?? plural
  const query = { ...objectOf(objectOf(operations.list).query), [kindName]: value, [idName]: '{parent}' }
  const set = id === undefined ? undefined : { ...(kind !== undefined && { [kind]: value }), [id]: '{parent}' }
  return { parent: plural, operations: withLink(operations, { query }, set) }
}

function withLink(operations: JsonObject, linked: JsonObject, set: JsonObject | undefined): JsonObject {
  const { list, create } = operations
  const isSet = create !== undefined && set !== undefined
  return {
    ...operations,
    list: { ...objectOf(list), ...linked },
    ...(isSet && { create: { ...objectOf(create), set } }),
  }
}
