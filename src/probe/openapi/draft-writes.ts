import {
  defined,
  isJsonObject,
  isSameJson,
  type JsonObject,
  type JsonValue,
  nonEmpty,
  objectOf,
} from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { fieldFit, foldedName } from '../names.ts'
import { constantOf, onlyValue } from './draft-reads.ts'
import { askAtLogin } from './paths.ts'
import type { ApiMethod } from './read-description.ts'
import { insideOf, joined, recordIn, recordInBody } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'

type Write = 'create' | 'update'

/** A create or an update: its body around the record, what it sends, and where the answer shows the record. */
export function draftWrite(name: Write, method: ApiMethod, context: ResourceContext): JsonObject {
  const { bodyType } = method
  return {
    ...(bodyType !== undefined && { headers: { 'Content-Type': bodyType } }),
    ...defined({ body: bodyAround(name, method, context) }),
    ...(name === 'update' && draftUpdate(method, context)),
    ...defined({ gives: givesOf(name, method, context) }),
  }
}

/** Without a described answer, the status of an update decides; of a create, only the answer has the id. */
function givesOf(name: Write, method: ApiMethod, context: ResourceContext): string | undefined {
  const { offered, fieldsView, resource, decide } = context
  if (method.isAnswerEmpty || (name === 'update' && !method.answer)) return 'nothing'
  const found = recordIn(resource, method.answer) ?? recordIn(resource, offered.get?.answer)
  if (!found) {
    decide(`.verbs.${name}`, 'nothing describes the answer: gives is where it shows the record or its id')
    return undefined
  }
  const isFit = ({ members }: SchemaView) => fieldFit(resource, members.keys()) > 0
  // An answer may have an id, and often times and the kind of the record, without its fields.
  const isIdAlone = isFit(fieldsView) && !isFit(found.view) && insideOf(resource, found.view) === '.'
  const names = isIdAlone ? [...found.view.members.keys()] : []
  const id = names.find((each) => /^id$/i.test(each)) ?? names.find((each) => /id$/i.test(each))
  const path = id === undefined ? found.path : joined(found.path, id)
  // A member with the name of a word of `gives` is written with a backslash.
  return path === '.' ? undefined : path.replace(/^(?=(?:record|nothing)$)/, '\\')
}

/** The body around the record, where it is not the record itself. */
function bodyAround(name: Write, method: ApiMethod, context: ResourceContext): JsonValue | undefined {
  const { inside, resource, decide } = context
  if (method.isForm) decide(`.verbs.${name}`, 'the document describes a form as the body, and crm sends JSON')
  if (!method.body) return undefined
  const wrap = (view: SchemaView | undefined, [next, ...more]: readonly string[]): JsonValue => {
    if (next === undefined || !view) return '{record}'
    if (next === '[0]') return [wrap(view.element, more)]
    const beside = [...view.required].flatMap((member): readonly (readonly [string, JsonValue])[] => {
      if (member === next) return []
      const isId = foldedName(member) === 'id' && name === 'update'
      const value = isId ? '{id}' : constantOf(view.member(member))
      if (value !== undefined) return [[member, value]]
      decide(`.verbs.${name}`, `the body needs ${member} beside the record`)
      return []
    })
    return Object.fromEntries([...beside, [next, wrap(view.member(next), more)]])
  }
  const { path } = recordInBody(resource, method.body, context)
  const names = path.split(/(?<!\\)\.|(?=\[0\])/).filter((each) => each !== '')
  const body = wrap(
    method.body,
    names.map((each) => each.replaceAll('\\', '')),
  )
  return isSameJson(body, inside === '.' ? '{record}' : { [inside]: '{record}' }) ? undefined : body
}

/** How an update is sent: what changes, or the whole record without what the server does not take back. */
function draftUpdate(method: ApiMethod, context: ResourceContext): JsonObject {
  const { decide, fieldsView, updateView, idMember } = context
  const set: JsonObject = {}
  // Members that each update needs, and a change alone does not have.
  const missing: string[] = []
  for (const name of updateView?.required ?? []) {
    // A default would replace the value that the record has.
    const values = updateView?.member(name)?.values ?? []
    const [constant, other] = name === idMember || foldedName(name) === 'id' ? ['{id}'] : values
    if (constant !== undefined && other === undefined) set[name] = constant
    else missing.push(name)
  }
  const { sends, query } = sendsOf(method, missing, context)
  if (sends === 'changes') return { ...nonEmpty({ query, set }), ...(method.method === 'put' && { sends }) }
  const hidden = missing.filter((name) => !fieldsView.members.has(name))
  if (hidden.length > 0) {
    const what = `each update needs ${hidden.join(', ')}, which a record does not show`
    decide('.verbs.update', `${what}: constants (set: { ${hidden[0]}: ... })`)
  }
  return { sends, ...nonEmpty({ drop: notTakenBack(context), set }) }
}

const PARTIAL =
  /\bpartial|only (?:the )?(?:fields|properties|attributes|values|members)|(?:omitted|not (?:provided|included|specified|sent))[^.]{0,40}(?:unchanged|not (?:be )?(?:changed|modified|updated|affected))|left unchanged/i

interface Sent {
  readonly sends: 'changes' | 'whole'
  /** What makes a PUT partial. */
  readonly query?: JsonObject
}

function sendsOf(method: ApiMethod, missing: readonly string[], context: ResourceContext): Sent {
  const { decisions, offered, api, decide, resource } = context
  const isPut = method.method === 'put' && offered.updates.length === 1
  const parameter = method.parameters.find((each) => each.in === 'query' && /^(?:is_?)?partial/i.test(each.name))
  if (isPut && parameter) return { sends: 'changes', query: { [parameter.name]: true } }
  // What the document says of all operations.
  const about = objectOf(api.document.info).description
  const flag = isPut ? /\b(partial\w*)=true\b/i.exec(`${method.text}\n${String(about)}`)?.[1] : undefined
  const isPartial = !isPut || flag !== undefined || PARTIAL.test(method.text)
  const why = isPartial
    ? isPut && 'the description of this PUT says that it is partial'
    : 'the document does not say whether this PUT replaces the whole record or changes what is sent'
  const needs = isPartial && missing.length > 0 && `the body of each update needs ${missing.join(', ')}`
  const reasons = [why, needs].filter((text) => text !== false)
  const id = `${RESOURCES[resource].plural}.update`
  const assumed = isPartial ? 'changes' : 'whole'
  if (reasons.length > 0) {
    decide('.verbs.update', `${reasons.join('; ')}; assumed: sends: ${assumed}`, {
      id,
      ask: `Does ${method.path} (${method.method.toUpperCase()}) take the changes alone, or the whole record?`,
      choices: ['changes', 'whole'],
    })
  }
  if ((decisions.answer(id) ?? assumed) === 'whole') return { sends: 'whole' }
  return { sends: 'changes', ...(flag !== undefined && { query: { [flag]: true } }) }
}

/** Members that a create takes and an update does not; what neither takes is read-only. */
function notTakenBack({ fieldsView, writeView, updateView }: ResourceContext): string[] {
  if (!updateView || updateView.isOpen || !writeView) return []
  return [...fieldsView.members.keys()].filter((name) => writeView.members.has(name) && !updateView.members.has(name))
}

/** Fields that a create takes and an update does not are set only then. */
export function keepToCreate(fields: JsonObject, context: ResourceContext): void {
  const kept = notTakenBack(context)
  const memberOf = (path: string) => (/^(?:\\.|[^.[\\])+/.exec(path)?.[0] ?? path).replaceAll('\\', '')
  for (const [name, field] of Object.entries(fields)) {
    if (!writtenPaths(field).some((path) => kept.includes(memberOf(path)))) continue
    fields[name] = { ...(isJsonObject(field) ? field : { at: field }), when: 'create' }
  }
}

/** The paths of the record that a field of the draft writes. */
function writtenPaths(field: JsonValue | undefined): readonly string[] {
  const { join, write, at }: JsonObject = isJsonObject(field) ? field : { at: field ?? null }
  return [join, write, at].flat().filter((path) => typeof path === 'string')
}

/** The fields that are a part of a list or an object within the record. */
export function innerFields(fields: JsonObject): readonly string[] {
  return Object.keys(fields).filter((name) => writtenPaths(fields[name]).some((path) => /(?<!\\)[.[]/.test(path)))
}

/**
 * The record is read before it is sent whole, and before a part of a list or an object changes: the rest would be lost. An update that
 * could never be sent is left out.
 */
export function decideUnread(fields: JsonObject, verbs: JsonObject, { decide }: ResourceContext): void {
  const { get, update } = verbs
  if (get !== undefined || !isJsonObject(update)) return
  const inner = innerFields(fields)
  const isWhole = update.sends === 'whole'
  if (!isWhole && inner.length === 0) return
  const what = isWhole ? 'an update' : `an update of ${inner.join(' or ')}`
  const why = `${what} reads the record first, and no request that shows one was found`
  const more = isWhole ? ' and update: { sends: whole }' : '; without it, exit 7'
  decide('.verbs.update', `${why}: get: { path: ... }${more}`)
  if (isWhole) delete verbs.update
}

/** Name the account, not a record that the new one belongs to. */
const PLACES = /^(?:location|workspace|tenant|portal|instance|site|store)id$/

/** Members that a create needs and no field gives: constants where the document names one value, else left to a person. */
export function addRequired(verbs: JsonObject, mapped: ReadonlySet<string>, context: ResourceContext): void {
  const { createView, variables, decide } = context
  const { create } = verbs
  if (!createView || !isJsonObject(create)) return
  const set: JsonObject = { ...objectOf(create.set) }
  const left: string[] = []
  for (const name of createView.required) {
    if (mapped.has(name) || Object.hasOwn(set, name)) continue
    const view = createView.member(name)
    const constant = onlyValue(view)
    if (constant !== undefined) set[name] = constant
    else if (PLACES.test(foldedName(name))) {
      set[name] = askAtLogin(variables, name, view?.description)
      decide('.verbs.create', `a new record needs ${name}: one value for all is assumed, asked for at login`)
    } else left.push(name)
  }
  verbs.create = { ...create, ...nonEmpty({ set }) }
  if (left.length === 0) return
  const what = `a new record needs ${left.join(', ')}, which no field of crm gives`
  decide('.verbs.create', `${what}: constants (set: { ${left[0]}: ... }), or values in each record`)
}
