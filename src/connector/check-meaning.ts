import { nearest } from '../core/nearest.ts'
import { isReadOnly, READ_ONLY_FIELDS, RESOURCES, type Resource, resourceNamed } from '../core/resources/registry.ts'
import type { BatchKind, ValueType, WireForm } from './document.ts'
import { LISTED_OBJECT } from './format.ts'
import {
  circleHint,
  isElements,
  isMembers,
  type Located,
  meantHint,
  memberAt,
  membersOf,
  type Problems,
  textIn,
} from './located.ts'
import { defaultType } from './normal-connector.ts'
import { ConnectorMistake } from './paths.ts'
import { BATCH_KINDS, BY_FIELD } from './shared-parts.ts'
import { compileTemplate, placeholdersOf } from './templates.ts'

// What a shape cannot say: placeholders, names of other parts, and members that need each other. Values of a wrong shape are
// passed over, so that all mistakes of a file are found at once.

interface Check {
  /** With what an object takes from the connector in each of them. */
  readonly tree: Located
  readonly variables: readonly string[]
  readonly problems: Problems
}

interface ObjectCheck extends Check {
  readonly noun: string
  readonly object: Located
  /** What it is; undefined where no command knows it. */
  readonly kind: Resource | undefined
  /** Its placeholders. */
  readonly common: readonly string[]
}

export function checkMeaning(tree: Located, problems: Problems): void {
  const variables = [...membersOf(memberAt(tree, 'variables')).keys()]
  const check = { tree, variables, problems }
  checkAuth(check)
  checkHeaders(memberAt(tree, 'headers'), check)
  for (const key of ['origin', 'base', 'headers', 'query']) checkPlaceholders(memberAt(tree, key), variables, problems)
  checkLinks(check)
  const kinds = new Map<Resource, string>()
  for (const [noun, object] of membersOf(memberAt(tree, 'objects'))) {
    const kind = kindOf(noun, object)
    const other = kind && kinds.get(kind)
    if (kind && other !== undefined)
      problems.add(
        object.keyPlace,
        `${noun} is ${RESOURCES[kind].plural}, as ${other} is, expected one object of that kind`,
      )
    if (kind) kinds.set(kind, noun)
    else if (!memberAt(object, 'one') && nearest(noun, NOUNS) !== undefined)
      problems.add(
        object.keyPlace,
        `no command knows ${JSON.stringify(noun)}${meantHint(noun, NOUNS)}; else state what it is, or what one of them is called`,
      )
    const ofAny = noun === LISTED_OBJECT ? ['type'] : []
    const ofParent = ofParents(object)
    const common = [...variables, ...ofAny, ...ofParent]
    checkObject({ ...check, noun, object, kind, common })
  }
}

/** The placeholders of the requests of links, and of one link or record in them. */
function checkLinks({ tree, variables, problems }: Check): void {
  const links = memberAt(tree, 'links')
  checkPlaceholders(memberAt(links, 'base'), variables, problems)
  for (const [name, part] of membersOf(links)) {
    checkPlaceholders(memberAt(part, 'path'), [...variables, 'from', 'to'], problems)
    checkPlaceholders(memberAt(part, 'body'), [...variables, 'items'], problems)
    const ofOne = name === 'read' ? ['id', 'after'] : ['id', 'to', 'types']
    checkPlaceholders(memberAt(part, 'item'), ofOne, problems)
  }
  checkPlaceholders(memberAt(links, 'new'), ['to', 'types'], problems)
}

const NOUNS = Object.values(RESOURCES).map(({ plural }) => plural)

function kindOf(noun: string, object: Located): Resource | undefined {
  const is = textIn(memberAt(object, 'is')) ?? ''
  return Object.hasOwn(RESOURCES, is) ? (is as Resource) : resourceNamed(noun)
}

function checkAuth({ tree, variables, problems }: Check): void {
  const auth = memberAt(tree, 'auth')
  const templates = ['value', 'user', 'password'].flatMap((key) => membersOf(auth).get(key) ?? [])
  for (const template of templates) checkPlaceholders(template, [...variables, 'key'], problems)
  checkPlaceholders(memberAt(auth, 'oauth'), variables, problems)
  if (auth && templates.length > 0 && !templates.some((template) => uses(template, ['key'])))
    problems.add(auth.place, '"auth" does not send the key, expected {key} in it')
  const header = memberAt(tree, 'idempotency', 'header')
  const name = textIn(header)
  if (header && name !== undefined && name.toLowerCase() === keyHeaderOf(tree))
    problems.add(header.place, `${name} has another meaning, expected a header for idempotency keys alone`)
}

function keyHeaderOf(tree: Located): string | undefined {
  const auth = memberAt(tree, 'auth')
  return textIn(memberAt(auth, 'in')) === 'header' ? textIn(memberAt(auth, 'name'))?.toLowerCase() : undefined
}

/** Headers that this connector has for the key, or for idempotency keys. */
function checkHeaders(headers: Located | undefined, { tree, problems }: Check): void {
  const ofUse = textIn(memberAt(tree, 'idempotency', 'header'))?.toLowerCase()
  for (const [name, { keyPlace }] of membersOf(headers)) {
    if (name.toLowerCase() === keyHeaderOf(tree))
      problems.add(keyPlace, `${name} says who sends the request, expected it in "auth" alone`)
    else if (name.toLowerCase() === ofUse)
      problems.add(keyPlace, `${name} is for idempotency keys, expected it in "idempotency" alone`)
  }
}

function checkObject(check: ObjectCheck): void {
  const { object, variables, problems, common } = check
  const parts = membersOf(object)
  const verbs = membersOf(parts.get('verbs'))
  checkParent(check)
  checkOnly(parts.get('only')?.value, verbs, problems)
  checkPlaceholders(parts.get('base'), variables, problems)
  checkPlaceholders(parts.get('path'), common, problems)
  for (const part of ['base', 'path', 'query'])
    checkPlaceholders(memberAt(parts.get('select'), 'names', part), common, problems)
  const fields = [...fieldsOf(object), ...READ_ONLY_FIELDS]
  for (const [name, verb] of verbs) {
    const byField = BY_FIELD.includes(name) ? membersOf(verb) : new Map<string, Located>()
    for (const [field, { keyPlace }] of byField) expectName(field, keyPlace, { fields, problems })
    for (const each of BY_FIELD.includes(name) ? byField.values() : [verb]) checkVerb(name, each, check)
  }
  checkWhole(verbs, memberAt(parts.get('select'), 'param') && parts.get('select'), check)
  checkBatches(check)
  checkFields(check)
  checkLinkFields(check)
}

function checkLinkFields({ tree, object, problems }: ObjectCheck): void {
  for (const [field, noun] of membersOf(memberAt(object, 'links'))) {
    if (memberAt(tree, 'links') === undefined)
      problems.add(noun.place, '"links" is missing for the connector, which says how records are linked')
    if (fieldsOf(object).includes(field)) problems.add(noun.keyPlace, `${field} is in "fields", too, expected it once`)
    expectObject(noun, tree, problems)
  }
}

function checkOnly(only: Located['value'] | undefined, verbs: ReadonlyMap<string, Located>, problems: Problems): void {
  for (const each of isElements(only) ? only : []) {
    const verb = textIn(each)
    if (verb !== undefined && !verbs.has(verb))
      problems.add(each.place, `no ${verb} is described, here or for all objects`)
  }
}

/** A record that is sent whole must be read whole, by get: a list may show a part of it. */
function checkWhole(
  verbs: ReadonlyMap<string, Located>,
  select: Located | undefined,
  { noun, problems }: ObjectCheck,
): void {
  const sends = memberAt(verbs.get('update'), 'sends')
  if (!sends || textIn(sends) !== 'whole') return
  if (select)
    problems.add(
      select.place,
      'select shows a part of the record, and the update sends it whole: the rest would be cleared',
    )
  if (!verbs.has('get'))
    problems.add(
      sends.place,
      `sends: whole needs the current record, and ${noun} lacks get, expected get: {} or its request`,
    )
}

function checkParent({ tree, noun, object, problems, common }: ObjectCheck): void {
  checkPlaceholders(memberAt(object, 'parent'), common, problems)
  for (const parent of parentsIn(object)) {
    const names: string[] = []
    for (let at = textIn(parent); at !== undefined && !names.includes(at); ) {
      names.push(at)
      at = textIn(parentsIn(memberAt(tree, 'objects', at))[0])
    }
    if (names.includes(noun)) {
      const circle = circleHint([noun, ...names])
      problems.add(parent.place, `${noun} cannot belong to itself${circle}, expected another object`)
    } else expectObject(parent, tree, problems)
  }
}

/** One noun, a list of them, or the names of a map. */
function parentsIn(object: Located | undefined): readonly Located[] {
  const parent = memberAt(object, 'parent')
  if (!parent || textIn(parent) !== undefined) return parent ? [parent] : []
  if (isElements(parent.value)) return parent.value
  return [...membersOf(parent)].map(([value, { keyPlace }]) => ({ value, place: keyPlace, keyPlace }))
}

function ofParents(object: Located): readonly string[] {
  const nouns = parentsIn(object).flatMap((each) => textIn(each) ?? [])
  const own = nouns.flatMap((noun) => [...membersOf(memberAt(object, 'parent', noun)).keys()])
  const names = new Set([...nouns, ...own].map((name) => `on.${name}`))
  return nouns.length === 0 ? [] : ['parent', 'parent.*', ...names]
}

interface Scope {
  readonly has: readonly string[]
  readonly needs?: string
}

const OF_ONE: Scope = { has: ['id'], needs: 'id' }

/** The placeholders of each verb, and the one that its request names its record by. */
const SCOPES: Readonly<Record<string, Scope>> = {
  list: { has: ['select'] },
  get: { has: ['id', 'select'], needs: 'id' },
  create: { has: ['record', 'links', 'now'] },
  update: { has: ['id', 'record'], needs: 'id' },
  delete: OF_ONE,
  restore: OF_ONE,
  test: OF_ONE,
  deliveries: OF_ONE,
  resend: { has: ['id', 'event'], needs: 'event' },
  rotate: OF_ONE,
  find: { has: ['value', 'select'], needs: 'value' },
  upsert: { has: ['value', 'record'] },
}

const LISTS = ['list', 'deliveries', 'find']

function checkVerb(name: string, verb: Located, check: ObjectCheck): void {
  const { problems, common } = check
  const scope = SCOPES[name]
  if (!scope) return
  const { has, needs } = scope
  checkRequest(verb, [...common, ...has], check)
  if (needs !== undefined && !uses(verb, [needs])) problems.add(verb.place, `${name} never uses {${needs}}`)
  if (LISTS.includes(name)) checkPaging(verb, problems)
  const body = membersOf(verb).get('body')
  const isGet = (textIn(memberAt(verb, 'method')) ?? 'GET') === 'GET'
  if (body && isGet && (name === 'get' || LISTS.includes(name)))
    problems.add(body.keyPlace, `the ${name} is a GET, which has no body, expected query, or method: POST`)
  if (name !== 'update') return
  const [sends, drop] = ['sends', 'drop'].map((key) => membersOf(verb).get(key))
  if (textIn(memberAt(verb, 'method')) === 'PUT' && !sends)
    problems.add(
      verb.place,
      'most servers replace the record by PUT, expected sends: whole, or sends: changes for one that does not',
    )
  if (drop && textIn(sends) !== 'whole')
    problems.add(drop.place, 'drop leaves members out of a whole record, expected sends: whole beside it')
}

/** `inSet`: the placeholders of `set`, where it has others. */
function checkRequest(request: Located, names: readonly string[], check: Check, inSet = names): void {
  const parts = membersOf(request)
  checkPlaceholders(parts.get('base'), check.variables, check.problems)
  for (const key of ['path', 'headers', 'query', 'body', 'set', 'keep'])
    checkPlaceholders(parts.get(key), key === 'set' ? inSet : names, check.problems)
  checkHeaders(parts.get('headers'), check)
}

const NEEDED_PAGING: Readonly<Record<string, readonly string[]>> = {
  cursor: ['param', 'next'],
  page: ['param'],
  offset: ['param'],
  last: ['param'],
  next_url: ['next'],
}

function checkPaging(list: Located, problems: Problems): void {
  const paging = memberAt(list, 'paging')
  if (!paging)
    problems.add(
      list.place,
      'paging is missing for this list, for its object and for the connector, expected paging: none or by: ...',
    )
  if (!paging || !isMembers(paging.value)) return
  const parts = membersOf(paging)
  const by = textIn(parts.get('by'))
  if (by === undefined) problems.add(paging.place, 'by is missing in "paging"')
  const missing = (NEEDED_PAGING[by ?? ''] ?? []).filter((key) => !parts.has(key))
  if (missing.length > 0) problems.add(paging.place, `${missing.join(', ')} is missing in "paging" by ${by}`)
}

function checkBatches(check: ObjectCheck): void {
  const { object, problems } = check
  const batch = membersOf(object).get('batch')
  if (!batch) return
  const kinds = BATCH_KINDS.flatMap((name) => {
    const kind = membersOf(batch).get(name)
    return kind ? [[name, kind] as const] : []
  })
  if (kinds.length === 0) problems.add(batch.place, `"batch" has none of ${BATCH_KINDS.join(', ')}, expected one`)
  for (const [name, kind] of kinds) checkBatch(name, kind, check)
}

/** By what a row is named in the request. */
const NAMING: Readonly<Record<BatchKind, readonly string[]>> = {
  create: ['record'],
  update: ['id'],
  upsert: ['value', 'record'],
  delete: ['id'],
  read: ['value', 'id'],
}

/** What the outcome of a row is found by, and what names the row in the request. */
function checkBatch(kind: BatchKind, batch: Located, check: ObjectCheck): void {
  const { object, problems, common } = check
  const { place } = batch
  const parts = membersOf(batch)
  const [item, match] = ['item', 'match'].map((key) => parts.get(key))
  for (const key of ['size', 'item', 'match']) {
    if (!parts.has(key)) problems.add(place, `${key} is missing for this batch, and in "batch"`)
  }
  const ofRow = [...common, 'id', 'value', 'row', 'by']
  checkRequest(batch, [...common, 'items', 'by', 'select'], check, ofRow)
  checkPlaceholders(item, [...ofRow, 'record', 'links'], problems)
  const by = membersOf(parts.get('by'))
  for (const [field, { keyPlace }] of by) expectName(field, keyPlace, { fields: ['id', ...fieldsOf(object)], problems })
  if (!['body', 'query'].some((key) => uses(parts.get(key), ['items'])))
    problems.add(place, `the batch ${kind} sends {items} neither in its body nor in its query`)
  const isAll = textIn(match) === 'all'
  if (!parts.has('results') && (kind === 'read' || !isAll))
    problems.add(place, `results is missing for the batch ${kind}, expected the path of its outcomes, or match: all`)
  const isCorrelated = isMembers(match?.value)
  if (isCorrelated !== uses(item, ['row']) && kind !== 'read' && !isAll) {
    const what = isCorrelated
      ? 'match is by mark, and item never uses {row}'
      : 'item uses {row}, expected match by mark'
    problems.add(place, `in the batch ${kind}, ${what}`)
  }
  const names = NAMING[kind]
  if (![item, parts.get('set')].some((part) => uses(part, names)))
    problems.add(place, `item of the batch ${kind} uses none of ${names.map((name) => `{${name}}`).join(', ')}`)
  if (kind === 'upsert' && by.size === 0)
    problems.add(place, 'by is missing for the batch upsert, expected the field that it matches by')
}

/** The forms on the wire that a type has. */
const FORMS: Readonly<Record<ValueType | 'ref', readonly WireForm[]>> = {
  ref: ['string', 'integer'],
  id: ['string', 'integer'],
  number: ['string', 'cents'],
  integer: ['string'],
  time: ['rfc3339', 'unix', 'unix_ms', 'YYYY-MM-DD hh:mm:ss', 'string'],
  date: ['rfc3339', 'unix', 'unix_ms', 'string'],
  string: [],
  html: [],
  boolean: [],
  any: [],
}

function fieldsOf(object: Located): readonly string[] {
  return [...membersOf(memberAt(object, 'fields')).keys()]
}

function checkFields(check: ObjectCheck): void {
  const { object, kind, problems } = check
  const fields = membersOf(memberAt(object, 'fields'))
  for (const [name, field] of fields) {
    if (isReadOnly(name)) problems.add(field.keyPlace, `${name} is no field to map, expected it in record`)
    checkPlaceholders(memberAt(field, 'set'), ['value'], problems)
    checkForm(membersOf(field), defaultType(kind, name), problems)
    checkReference(field, check)
  }
  const writtenBy = writers(fields, problems)
  for (const operation of ['create', 'update']) {
    for (const [member, { keyPlace, value }] of membersOf(memberAt(object, 'verbs', operation, 'set'))) {
      const field = writtenBy.get(member)
      // Some servers require every member of a new record: one without a value is sent empty.
      const isEmpty = operation === 'create' && ['null', 'false', '[]', '""'].includes(JSON.stringify(value))
      // For records that say nothing else there.
      const isDefault = /^\{(?:now|on\.[\w-]+)\}$/.test(String(value))
      if (field !== undefined && !isEmpty && !isDefault)
        problems.add(keyPlace, `${member} is written by the field ${field}, expected it in one place`)
    }
  }
}

/** The field that writes each path. */
function writers(fields: ReadonlyMap<string, Located>, problems: Problems): ReadonlyMap<string, string> {
  const writtenBy = new Map<string, string>()
  for (const [name, field] of fields) {
    for (const path of writesOf(field)) {
      const text = textIn(path) ?? ''
      const before = writtenBy.get(text)
      if (before !== undefined && before !== name)
        problems.add(path.place, `${JSON.stringify(text)} is written by ${before} already, expected one field for it`)
      writtenBy.set(text, name)
    }
  }
  return writtenBy
}

function writesOf(field: Located): readonly Located[] {
  const parts = membersOf(field)
  const written = isMembers(field.value) ? (parts.get('write') ?? parts.get('at') ?? parts.get('join')) : field
  if (!written) return []
  return isElements(written.value) ? written.value : [written]
}

function checkForm(of: ReadonlyMap<string, Located>, usual: ValueType, problems: Problems): void {
  const as = of.get('as')
  const form = textIn(as)
  const type = of.has('ref') ? 'ref' : (textIn(of.get('type')) ?? usual)
  if (!as || form === undefined || !Object.hasOwn(FORMS, type)) return
  const forms = FORMS[type as ValueType | 'ref']
  if (forms.some((each) => each === form)) return
  const expected = forms.length === 0 ? 'no as' : `one of ${forms.join(', ')}`
  problems.add(as.place, `${form} is no form of ${type === 'ref' ? 'an id' : `the type ${type}`}, expected ${expected}`)
}

function checkReference(field: Located, { tree, problems }: Check): void {
  const ref = membersOf(field).get('ref')
  const referred = ref && expectObject(ref, tree, problems)
  if (!referred) return
  if (!membersOf(memberAt(referred, 'verbs')).has('list'))
    problems.add(ref.place, `${textIn(ref)} has no list, expected one, to find ids by names`)
  const fields = ['id', ...fieldsOf(referred)]
  for (const [their, { keyPlace }] of membersOf(memberAt(field, 'within')))
    expectName(their, keyPlace, { fields, problems })
}

function expectName(
  name: string,
  place: Located['place'],
  { fields, problems }: { fields: readonly string[]; problems: Problems },
): void {
  if (fields.includes(name)) return
  problems.add(
    place,
    `${JSON.stringify(name)} is not a field of this object, expected one of ${fields.join(', ')}${meantHint(name, fields)}`,
  )
}

/** The object that the text names; undefined, with a problem, if the connector has none. */
function expectObject(node: Located, tree: Located, problems: Problems): Located | undefined {
  const name = textIn(node)
  const all = membersOf(memberAt(tree, 'objects'))
  const found = name === undefined ? undefined : all.get(name)
  if (found || name === undefined) return found
  const names = [...all.keys()]
  problems.add(
    node.place,
    `${JSON.stringify(name)} is not an object of this connector, expected one of ${names.join(', ')}${meantHint(name, names)}`,
  )
  return undefined
}

interface Used {
  readonly name: string
  readonly place: Located['place']
}

function placeholdersIn(node: Located | undefined): readonly Used[] {
  if (!node) return []
  const { value, place } = node
  if (isElements(value)) return value.flatMap(placeholdersIn)
  if (isMembers(value)) return [...value.values()].flatMap(placeholdersIn)
  if (typeof value !== 'string') return []
  try {
    return placeholdersOf(compileTemplate(value)).map((name) => {
      return { name, place: { ...place, column: place.column + Math.max(0, value.indexOf(`{${name}}`)) } }
    })
  } catch (error) {
    // Its shape was reported.
    if (error instanceof ConnectorMistake) return []
    throw error
  }
}

function uses(node: Located | undefined, names: readonly string[]): boolean {
  return placeholdersIn(node).some(({ name }) => names.includes(name))
}

function checkPlaceholders(node: Located | undefined, known: readonly string[], problems: Problems): void {
  for (const { name, place } of placeholdersIn(node)) {
    if (known.includes(name) || (name.startsWith('parent.') && known.includes('parent.*'))) continue
    const names = known.filter((each) => each !== 'parent.*').map((each) => `{${each}}`)
    const expected = names.length === 0 ? 'none here' : `one of ${names.join(', ')}`
    problems.add(place, `{${name}} is unknown here, expected ${expected}${meantHint(`{${name}}`, names)}`)
  }
}
