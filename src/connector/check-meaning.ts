import { nearest } from '../core/nearest.ts'
import { READ_ONLY_FIELDS, RESOURCES, type Resource, resourceNamed } from '../core/resources/registry.ts'
import { checkAuth, checkHeaders, checkIdempotency, checkMethodMembers, checkQuery } from './check-access.ts'
import { checkFields, expectName, expectObject, type ObjectCheck } from './check-fields.ts'
import { checkPlaceholders, uses } from './check-placeholders.ts'
import { BATCH_KINDS, type BatchKind } from './document.ts'
import {
  isElements,
  isMembers,
  type Located,
  meantHint,
  memberAt,
  membersOf,
  merged,
  type Place,
  type Problems,
  textIn,
} from './located.ts'

const NAMING: Readonly<Record<BatchKind, readonly string[]>> = {
  create: ['record'],
  update: ['id'],
  upsert: ['value', 'record'],
  delete: ['id'],
  read: ['value', 'id'],
}

/** Placeholders that no variable can be named like. */
const RESERVED = [
  'key',
  'id',
  'event',
  'parent',
  'record',
  'value',
  'values',
  'items',
  'row',
  'by',
  'select',
  'last',
  'object',
]

/**
 * Checks what a shape cannot say: placeholders, names of other parts, and members that need each other. Values of a wrong
 * shape are passed over, so that all mistakes of a file are found at once.
 */
export function checkMeaning(tree: Located, problems: Problems): void {
  const variables = [...membersOf(memberAt(tree, 'variables')).keys()]
  for (const [name, { keyPlace }] of membersOf(memberAt(tree, 'variables'))) {
    if (RESERVED.includes(name)) problems.add(keyPlace, `${name} is a placeholder already, expected another name`)
  }
  checkAuth(memberAt(tree, 'auth'), variables, problems)
  checkIdempotency(tree, problems)
  checkHeaders(memberAt(tree, 'headers'), tree, problems)
  checkQuery(memberAt(tree, 'query'), problems)
  checkMethodMembers(memberAt(tree, 'query'), problems)
  for (const key of ['origin', 'base', 'headers', 'query']) checkPlaceholders(memberAt(tree, key), variables, problems)
  const kinds = new Map<Resource, string>()
  for (const [noun, object] of membersOf(memberAt(tree, 'objects'))) {
    const kind = kindOf(noun, object)
    const other = kind && kinds.get(kind)
    if (kind && other !== undefined)
      problems.add(
        object.keyPlace,
        `${noun} is ${RESOURCES[kind].plural}, as ${other} is, expected one object of that kind`,
      )
    checkAround(noun, object, { tree, problems })
    if (kind) kinds.set(kind, noun)
    else if (nearest(noun, NOUNS) !== undefined)
      problems.add(
        object.keyPlace,
        `no command knows ${JSON.stringify(noun)}${meantHint(noun, NOUNS)}; else state what it is`,
      )
    checkObject({ tree, kind, object, variables, problems })
  }
}

/** What an object says of its parent, of its verbs and of filters, which others must have. */
function checkAround(
  noun: string,
  object: Located,
  { tree, problems }: { readonly tree: Located; readonly problems: Problems },
): void {
  const parts = membersOf(object)
  const verbs = membersOf(parts.get('verbs'))
  const parentOf = (each: Located | undefined) => textIn(memberAt(each, 'parent'))
  const above = parentOf(object)
  const isCircle = above === noun || (above !== undefined && parentOf(memberAt(tree, 'objects', above)) === noun)
  const parent = parts.get('parent')
  if (parent && isCircle) problems.add(parent.place, `${noun} cannot belong to itself, expected another object`)
  checkFilters(parts, problems)
  const only = parts.get('only')?.value
  for (const each of isElements(only) ? only : []) {
    const verb = textIn(each) ?? ''
    if (verb !== '' && !verbs.has(verb)) problems.add(each.place, `no ${verb} is described, here or for all objects`)
  }
}

function checkFilters(parts: ReadonlyMap<string, Located>, problems: Problems): void {
  const method = textIn(memberAt(parts.get('verbs'), 'list', 'method')) ?? 'GET'
  for (const filter of membersOf(parts.get('filters')).values()) {
    const body = memberAt(filter, 'body')
    if (body && method === 'GET') problems.add(body.keyPlace, 'the list is a GET, which has no body, expected query')
  }
}

const NOUNS = Object.values(RESOURCES).map(({ plural }) => plural)

function kindOf(noun: string, object: Located): Resource | undefined {
  const is = textIn(memberAt(object, 'is')) ?? ''
  return Object.hasOwn(RESOURCES, is) ? (is as Resource) : resourceNamed(noun)
}

function checkObject(check: ObjectCheck): void {
  const { tree, object, variables, problems } = check
  const parts = membersOf(object)
  const verbs = membersOf(parts.get('verbs'))
  const parent = parts.get('parent')
  if (parent) expectObject(parent, tree, problems)
  const common = parent ? [...variables, 'parent', 'parent.*'] : variables
  checkPlaceholders(parts.get('base'), variables, problems)
  checkPlaceholders(parts.get('path'), common, problems)
  for (const base of [memberAt(tree, 'base'), parts.get('base')]) checkSlash(base, problems)
  checkNames(memberAt(parts.get('select'), 'names'), check)
  const select = parts.get('select')
  if (select && textIn(memberAt(verbs.get('update'), 'sends')) === 'whole')
    problems.add(
      select.place,
      'select shows a part of the record, and the update sends it whole: the rest would be cleared',
    )
  for (const name of Object.keys(SCOPES)) checkSingle(name, verbs.get(name), { common, check })
  for (const operation of membersOf(verbs.get('find')).values()) {
    checkOperation(operation, [...common, 'value', 'values', 'select'], check)
    if (!uses(operation, ['value', 'values'])) problems.add(operation.place, 'find never uses {value} or {values}')
    checkPaging(operation, check)
  }
  for (const operation of membersOf(verbs.get('upsert')).values()) {
    checkOperation(operation, [...common, 'value', 'record'], check)
  }
  checkBatches(parts.get('batch'), common, check)
  checkFields(check)
  for (const field of membersOf(parts.get('fields')).values())
    checkPlaceholders(memberAt(field, 'set'), ['value'], problems)
  const fields = [...membersOf(parts.get('fields')).keys(), ...READ_ONLY_FIELDS]
  for (const key of ['find', 'upsert']) {
    for (const [name, { keyPlace }] of membersOf(verbs.get(key))) expectName(name, keyPlace, { fields, problems })
  }
}

function checkNames(names: Located | undefined, { variables, problems }: ObjectCheck): void {
  for (const key of ['base', 'path', 'query']) checkPlaceholders(memberAt(names, key), variables, problems)
  for (const key of ['base', 'path']) checkSlash(memberAt(names, key), problems)
  checkQuery(memberAt(names, 'query'), problems)
  checkMethodMembers(memberAt(names, 'query'), problems)
}

function checkSlash(node: Located | undefined, problems: Problems): void {
  const text = textIn(node) ?? ''
  if (node && text !== '' && !text.startsWith('/'))
    problems.add(node.place, `${JSON.stringify(text)}, expected / at its beginning`)
}

const SCOPES: Readonly<Record<string, { placeholders: readonly string[]; needs: readonly string[] }>> = {
  list: { placeholders: ['select'], needs: [] },
  get: { placeholders: ['id', 'select'], needs: ['id'] },
  create: { placeholders: ['record'], needs: [] },
  update: { placeholders: ['id', 'record'], needs: ['id'] },
  delete: { placeholders: ['id'], needs: ['id'] },
  restore: { placeholders: ['id'], needs: ['id'] },
  test: { placeholders: ['id'], needs: ['id'] },
  deliveries: { placeholders: ['id'], needs: ['id'] },
  resend: { placeholders: ['id', 'event'], needs: ['event'] },
  rotate: { placeholders: ['id'], needs: ['id'] },
}

const WRITES = ['create', 'update', 'delete', 'restore', 'resend', 'rotate']

function checkSingle(
  name: string,
  operation: Located | undefined,
  { common, check }: { common: readonly string[]; check: ObjectCheck },
): void {
  const { placeholders = [], needs = [] } = SCOPES[name] ?? {}
  if (!operation) return
  checkOperation(operation, [...common, ...placeholders], check)
  const isUsed = needs.length === 0 || uses(operation, needs)
  if (!isUsed) check.problems.add(operation.place, `${name} never uses {${needs[0]}}`)
  if (name === 'list' || name === 'deliveries') checkPaging(operation, check)
  const method = memberAt(operation, 'method')
  if (WRITES.includes(name) && textIn(method) === 'GET')
    check.problems.add(method?.place ?? operation.place, `a GET changes nothing, expected another method for ${name}`)
  const isPut = name === 'update' && textIn(memberAt(operation, 'method')) === 'PUT'
  if (isPut && !memberAt(operation, 'sends'))
    check.problems.add(
      operation.place,
      'most servers replace the record by PUT, expected sends: whole, or sends: changes for one that does not',
    )
  const drop = memberAt(operation, 'drop')
  if (drop && textIn(memberAt(operation, 'sends')) !== 'whole')
    check.problems.add(drop.place, 'drop leaves members out of a whole record, expected sends: whole beside it')
}

const TEMPLATES = ['path', 'headers', 'query', 'body', 'set', 'keep']

function checkOperation(
  operation: Located,
  names: readonly string[],
  { tree, variables, problems }: ObjectCheck,
): void {
  const parts = membersOf(operation)
  checkPlaceholders(parts.get('base'), variables, problems)
  for (const key of TEMPLATES) checkPlaceholders(parts.get(key), names, problems)
  checkHeaders(parts.get('headers'), tree, problems)
  checkQuery(parts.get('query'), problems)
  for (const member of ['query', 'body']) checkMethodMembers(parts.get(member), problems)
  checkPlaceholders(memberAt(operation, 'paging', 'path'), [...names, 'last'], problems)
  for (const key of ['base', 'path']) checkSlash(parts.get(key), problems)
}

const NEEDED_PAGING: Readonly<Record<string, readonly string[]>> = {
  cursor: ['param', 'next'],
  page: ['param'],
  offset: ['param'],
  last: ['path', 'param'],
  next_url: ['next'],
}

function checkPaging(operation: Located, { tree, object, problems }: ObjectCheck): void {
  const paging = [tree, object, operation].map((node) => memberAt(node, 'paging')).filter((node) => node !== undefined)
  const last = paging.at(-1)
  const whole = paging.reduce<Located | undefined>(
    (outer, inner) => (outer ? overridden(outer, inner) : inner),
    undefined,
  )
  if (!last || !whole) {
    problems.add(
      operation.place,
      'paging is missing for this list, for its object and for the connector, expected paging: none or by: ...',
    )
    return
  }
  if (!isMembers(whole.value)) return
  const by = textIn(memberAt(whole, 'by'))
  const needed = NEEDED_PAGING[by ?? ''] ?? []
  if (by === undefined) problems.add(last.place, 'by is missing in "paging"')
  const has = (key: string) => membersOf(whole).has(key)
  if (by === 'last' ? !needed.some(has) : !needed.every(has)) {
    problems.add(
      last.place,
      `${needed.filter((key) => !has(key)).join(by === 'last' ? ' or ' : ', ')} is missing in "paging" by ${by}`,
    )
  }
}

/** As normalisation does it: another way of paging begins anew. */
function overridden(outer: Located, inner: Located): Located {
  const by = textIn(memberAt(inner, 'by'))
  return by === undefined || by === textIn(memberAt(outer, 'by')) ? merged(outer, inner) : inner
}

function checkBatches(batch: Located | undefined, common: readonly string[], check: ObjectCheck): void {
  if (!batch) return
  const { object, problems } = check
  const parts = membersOf(batch)
  const shared = { ...batch, value: new Map([...parts].filter(([key]) => !BATCH_KINDS.some((kind) => kind === key))) }
  const kinds = BATCH_KINDS.flatMap((name) => {
    const kind = parts.get(name)
    return kind ? [{ name, kind }] : []
  })
  if (kinds.length === 0) problems.add(batch.place, `"batch" has none of ${BATCH_KINDS.join(', ')}, expected one`)
  const fields = ['id', ...membersOf(memberAt(object, 'fields')).keys()]
  for (const { name, kind } of kinds) {
    const whole = merged(shared, kind)
    for (const key of ['size', 'item', 'match']) {
      if (!membersOf(whole).has(key)) problems.add(kind.place, `${key} is missing for this batch, and in "batch"`)
    }
    checkOperation(whole, [...common, 'items', 'by', 'select'], check)
    checkPlaceholders(memberAt(whole, 'item'), [...common, 'id', 'record', 'value', 'row', 'by'], problems)
    checkBatch(name, { whole, place: kind.place, problems })
    for (const [field, { keyPlace }] of membersOf(memberAt(whole, 'by')))
      expectName(field, keyPlace, { fields, problems })
  }
}

interface BatchCheck {
  /** With the keys that all batches of the resource share. */
  readonly whole: Located
  readonly place: Place
  readonly problems: Problems
}

/** What the outcome of a row is found by, and what names the row in the request. */
function checkBatch(kind: BatchKind, { whole, place, problems }: BatchCheck): void {
  const has = (key: string) => membersOf(whole).has(key)
  const [item, match] = [memberAt(whole, 'item'), memberAt(whole, 'match')]
  const isSent = ['body', 'query'].some((key) => usesIn(memberAt(whole, key), ['items']))
  if (!isSent) problems.add(place, `the batch ${kind} sends {items} neither in its body nor in its query`)
  const isAll = textIn(match) === 'all'
  if (!has('results') && (kind === 'read' || !isAll)) {
    problems.add(place, `results is missing for the batch ${kind}, expected the path of its outcomes, or match: all`)
  }
  const isCorrelated = isMembers(match?.value)
  const isNamed = usesIn(item, ['row'])
  if (isCorrelated !== isNamed && kind !== 'read' && !isAll) {
    const what = isCorrelated
      ? 'match is by mark, and item never uses {row}'
      : 'item uses {row}, expected match by mark'
    problems.add(place, `in the batch ${kind}, ${what}`)
  }
  const names = NAMING[kind]
  if (!usesIn(item, names)) {
    problems.add(place, `item of the batch ${kind} uses none of ${names.map((name) => `{${name}}`).join(', ')}`)
  }
  if (kind === 'upsert' && membersOf(memberAt(whole, 'by')).size === 0) {
    problems.add(place, 'by is missing for the batch upsert, expected the field that it matches by')
  }
}

function usesIn(node: Located | undefined, names: readonly string[]): boolean {
  return node !== undefined && uses(node, names)
}
