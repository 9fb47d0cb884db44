import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { ApiDescription, ApiMethod } from './api-description.ts'
import type { ResourceContext } from './resource-context.ts'
import { foldedName } from './server-names.ts'

const PARTIAL =
  /\bpartial|only (?:the )?(?:fields|properties|attributes|values|members)|(?:omitted|not (?:provided|included|specified|sent))[^.]{0,40}(?:unchanged|not (?:be )?(?:changed|modified|updated|affected))|left unchanged/i

/** How an update is sent: what changes, or the whole record without what the server does not take back. */
export function draftUpdate(method: ApiMethod, context: ResourceContext): JsonObject {
  const { decisions, at, offered } = context
  if (offered.updates.length > 1) {
    const others = offered.updates
      .slice(1)
      .map((each) => each.method.toUpperCase())
      .join(', ')
    decisions.remark([...at, 'update'], `the document also has ${others} for updates`)
  }
  const needed = neededBy(context)
  const { sends, query } = sendsOf(method, needed.missing, context)
  const set = Object.keys(needed.set).length > 0 ? { set: needed.set } : {}
  if (sends !== 'whole') return { ...query, ...set }
  decideHidden(needed.missing, context)
  const drop = notTakenBack(context)
  return { sends, ...(drop.length > 0 && { drop }), ...query, ...set }
}

interface Sent {
  readonly sends: 'changes' | 'whole'
  readonly query: JsonObject
}

const CHANGES: Sent = { sends: 'changes', query: {} }

function sendsOf(
  method: ApiMethod,
  missing: readonly string[],
  { decisions, at, offered, api }: ResourceContext,
): Sent {
  const id = `${at.join('.')}.update`
  const isPut = method.method === 'put' && offered.updates.length === 1
  const flag = isPut ? partialFlag(method) : undefined
  if (flag !== undefined) return { ...CHANGES, query: queryOf(flag) }
  const named = isPut ? /\b(partial\w*)=true\b/i.exec(`${method.text}\n${about(api)}`)?.[1] : undefined
  const isPartial = !isPut || named !== undefined || PARTIAL.test(method.text)
  const needs = isPartial && missing.length > 0 && `the body of each update needs ${missing.join(', ')}`
  if (!isPut && !needs) return CHANGES
  const assumed = isPartial ? 'changes' : 'whole'
  const why = isPartial
    ? isPut && 'the description of this PUT says that it is partial'
    : 'the document does not say whether this PUT replaces the whole record or changes what is sent'
  const reasons = [why, needs].filter((text) => typeof text === 'string').join('; ')
  decisions.decide([...at, 'update'], `${reasons}; assumed: sends: ${assumed}`, {
    id,
    ask: `Does ${method.path} (${method.method.toUpperCase()}) take the changes alone, or the whole record?`,
    choices: ['changes', 'whole'],
  })
  const isWhole = (decisions.answer(id) ?? assumed) === 'whole'
  return isWhole ? { sends: 'whole', query: {} } : { ...CHANGES, query: queryOf(named) }
}

function queryOf(flag: string | undefined): JsonObject {
  return flag === undefined ? {} : { query: { [flag]: true } }
}

function partialFlag({ parameters }: ApiMethod): string | undefined {
  return parameters.find(
    ({ name, schema, in: place }) => place === 'query' && /^(?:is_?)?partial/i.test(name) && schema.type === 'boolean',
  )?.name
}

/** What the document says of all operations. */
function about({ document: { info } }: ApiDescription): string {
  return isJsonObject(info) && typeof info.description === 'string' ? info.description : ''
}

/** Members that the body of each update needs: those with one value, and those that a change alone does not have. */
function neededBy({ updateView, api, idMember }: ResourceContext): {
  readonly set: JsonObject
  readonly missing: readonly string[]
} {
  const set: Record<string, JsonValue> = {}
  const missing: string[] = []
  for (const name of updateView?.required ?? []) {
    // A default would replace the value that the record has.
    const values = (updateView && api.schemas.member(updateView, name)?.values) ?? []
    const [constant] = values.length === 1 ? values : []
    if (name === idMember || foldedName(name) === 'id') set[name] = '{id}'
    else if (constant !== undefined) set[name] = constant
    else missing.push(name)
  }
  return { set, missing }
}

/** A record that does not show what its update needs cannot be sent whole. */
function decideHidden(missing: readonly string[], { fieldsView, decisions, at }: ResourceContext): void {
  const hidden = missing.filter((name) => !fieldsView.members.has(name))
  if (hidden.length === 0) return
  decisions.decide(
    [...at, 'update'],
    `each update needs ${hidden.join(', ')}, which a record does not show: constants (set: { ${hidden[0]}: ... })`,
  )
}

/** Members that a create takes and an update does not; what neither takes is read-only. */
function notTakenBack({ fieldsView, writeView, updateView }: ResourceContext): string[] {
  if (!updateView || updateView.isOpen || !writeView) return []
  return [...fieldsView.members.keys()].filter((name) => writeView.members.has(name) && !updateView.members.has(name))
}

/** Fields that a create takes and an update does not are set only then. */
export function keepToCreate(fields: JsonObject, context: ResourceContext): void {
  const kept = new Set(notTakenBack(context))
  for (const [name, field] of Object.entries(fields)) {
    if (field !== null && writtenMembers(field).some((member) => kept.has(member))) {
      fields[name] = isJsonObject(field) ? { ...field, when: 'create' } : { at: field, when: 'create' }
    }
  }
}

/** The members of the record that a field of the draft writes. */
function writtenMembers(field: JsonValue): readonly string[] {
  return writtenPaths(field).map((path) => (/^(?:\\.|[^.[\\])+/.exec(path)?.[0] ?? path).replaceAll('\\', ''))
}

function writtenPaths(field: JsonValue | undefined): readonly string[] {
  const { join, write, at }: JsonObject = isJsonObject(field) ? field : { at: field ?? null }
  return [join, write, at].flat().filter((path) => typeof path === 'string')
}

/** The record is read before it is sent whole, and before an element of a list changes: other elements would be lost. */
export function decideUnread(
  fields: JsonObject,
  { get, update }: JsonObject,
  { decisions, at }: ResourceContext,
): void {
  if (get !== undefined || !isJsonObject(update)) return
  const inLists = Object.keys(fields).filter((name) => writtenPaths(fields[name]).some((path) => path.includes('[')))
  const what = update.sends === 'whole' ? 'an update' : `an update of ${inLists.join(' or ')}`
  if (update.sends !== 'whole' && inLists.length === 0) return
  decisions.decide(
    [...at, 'update'],
    `${what} reads the record first, and the document has no request that shows one: get: { path: ... }; without it, exit 7`,
  )
}
