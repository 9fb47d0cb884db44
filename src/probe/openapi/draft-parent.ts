import { type JsonObject, nonEmpty, objectOf } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { isLinkTo, memberNamed, nameFit } from '../names.ts'
import { hasSlot, PARENTS } from './paths.ts'
import { escaped } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'

/**
 * Notes belong to deals, and stages to pipelines: by their path, or by a parameter and a member with the id of the parent. Adds
 * that to the verbs; returns the plural of the parent.
 */
export function draftParent(verbs: JsonObject, context: ResourceContext): string | undefined {
  const { resource, collection, offered, record, writeView, decide, decisions, made } = context
  const parent = PARENTS[resource]
  if (!parent) return undefined
  const { plural } = RESOURCES[parent]
  if (hasSlot(collection, 'parent')) return made.has(parent) ? plural : undefined
  if (resource !== 'note') return undefined
  if (!made.has(parent)) {
    decide('.parent', `crm keeps notes with a deal, and the draft lacks ${plural}`)
    return undefined
  }
  const named = decisions.answer('notes.parent')
  const isLink = (name: string) => (named === undefined ? isLinkTo(parent, name) : name === named)
  const parameter = offered.list?.parameters.find(({ name, in: place }) => place === 'query' && isLink(name))?.name
  const member = [...record.members.keys()].find(isLink)
  const written = [...(writeView?.members.keys() ?? [])].find(isLink)
  const set = written === undefined ? undefined : { [written]: '{parent}' }
  if (parameter !== undefined) link(verbs, { query: { [parameter]: '{parent}' } }, set)
  else if (member !== undefined) link(verbs, { keep: { [escaped(member)]: '{parent}' } }, set)
  else return ofAnyParent(verbs, context)
  return plural
}

const ANY_IDS = ['parentrecordid', 'parentid', 'entityid', 'recordid', 'objectid', 'targetid', 'relatedid', 'subjectid']
const ANY_KINDS = ['object', 'type'].flatMap((word) =>
  ['parent', 'entity', 'object', 'record', 'target'].map((of) => of + word),
)

/** A note of a record of any kind: two members name the kind and the record. */
function ofAnyParent(verbs: JsonObject, { offered, writeView, decide }: ResourceContext): string | undefined {
  const ofQuery = (offered.list?.parameters ?? []).filter((each) => each.in === 'query')
  const parameters = new Map(ofQuery.map((each) => [each.name, each.schema]))
  const [idName, kindName] = [ANY_IDS, ANY_KINDS].map((names) => memberNamed(parameters, names))
  if (idName === undefined || kindName === undefined) {
    const lacks = 'neither a parameter of the list nor a member of a note is the id of one'
    decide('.parent', `crm keeps notes with a deal, and ${lacks}: parent: deals, and where its id goes`)
    return undefined
  }
  const [id, kind] = [ANY_IDS, ANY_KINDS].map((names) => writeView && memberNamed(writeView.members, names))
  const values = [parameters.get(kindName), writeView?.member(kind ?? '')].flatMap((view) => view?.values ?? [])
  const value = values.find((each) => typeof each === 'string' && nameFit('deal', each) > 0) ?? 'deals'
  if (!values.includes(value)) {
    decide('.verbs.list', `the document does not say what ${kindName} is for a deal; deals is assumed`)
  }
  const set = id === undefined ? undefined : { ...(kind !== undefined && { [kind]: value }), [id]: '{parent}' }
  link(verbs, { query: { [kindName]: value, [idName]: '{parent}' } }, set)
  return 'deals'
}

function link(verbs: JsonObject, { query, ...keep }: JsonObject, set: JsonObject | undefined): void {
  const { list, create } = verbs
  const asked = { ...objectOf(objectOf(list).query), ...objectOf(query) }
  if (list !== undefined) verbs.list = { ...objectOf(list), ...keep, ...nonEmpty({ query: asked }) }
  if (create !== undefined && set) verbs.create = { ...objectOf(create), set }
}
