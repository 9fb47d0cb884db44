import { READ_ONLY_FIELDS } from '../core/resources/registry.ts'
import { checkAuth, checkHeaders, checkIdempotency, checkMethodMembers, checkQuery } from './check-access.ts'
import { checkFields, expectName, expectResource, type ResourceCheck } from './check-fields.ts'
import { checkPlaceholders, uses } from './check-placeholders.ts'
import { BATCH_KINDS, type BatchKind } from './document.ts'
import { isMembers, type Located, memberAt, membersOf, merged, type Place, type Problems, textIn } from './located.ts'

const NAMING: Readonly<Record<BatchKind, readonly string[]>> = {
  create: ['record'],
  update: ['id'],
  upsert: ['value', 'record'],
  delete: ['id'],
  read: ['value', 'id'],
}

/** Placeholders that no variable can be named like. */
const RESERVED = ['key', 'id', 'event', 'parent', 'record', 'value', 'values', 'items', 'row', 'by', 'select', 'last']

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
  for (const [name, resource] of membersOf(memberAt(tree, 'resources'))) {
    checkResource({ tree, name, resource, variables, problems })
  }
}

function checkResource(check: ResourceCheck): void {
  const { tree, resource, variables, problems } = check
  const parts = membersOf(resource)
  const parent = parts.get('parent')
  if (parent) expectResource(parent, tree, problems)
  const common = parent ? [...variables, 'parent', 'parent.*'] : variables
  checkPlaceholders(parts.get('base'), variables, problems)
  checkPlaceholders(parts.get('path'), common, problems)
  checkPath(tree, resource, undefined, problems)
  checkNames(memberAt(parts.get('select'), 'names'), check)
  const select = parts.get('select')
  if (select && textIn(memberAt(resource, 'update', 'sends')) === 'whole')
    problems.add(
      select.place,
      'select shows a part of the record, and the update sends it whole: the rest would be cleared',
    )
  for (const name of Object.keys(SCOPES)) checkSingle(name, parts.get(name), { common, check })
  for (const operation of membersOf(parts.get('find')).values()) {
    checkOperation(operation, [...common, 'value', 'values', 'select'], check)
    if (!uses(operation, ['value', 'values'])) problems.add(operation.place, 'find never uses {value} or {values}')
    checkPaging(operation, check)
  }
  for (const operation of membersOf(parts.get('upsert')).values()) {
    checkOperation(operation, [...common, 'value', 'record'], check)
  }
  checkBatches(parts.get('batch'), common, check)
  checkFields(check)
  for (const field of membersOf(parts.get('fields')).values())
    checkPlaceholders(memberAt(field, 'set'), ['value'], problems)
  const fields = [...membersOf(parts.get('fields')).keys(), ...READ_ONLY_FIELDS]
  for (const key of ['find', 'upsert']) {
    for (const [name, { keyPlace }] of membersOf(parts.get(key))) expectName(name, keyPlace, { fields, problems })
  }
}

/** The path of the list of names follows the base alone. */
function checkNames(names: Located | undefined, { variables, problems }: ResourceCheck): void {
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

function checkSingle(
  name: string,
  operation: Located | undefined,
  { common, check }: { common: readonly string[]; check: ResourceCheck },
): void {
  const { placeholders = [], needs = [] } = SCOPES[name] ?? {}
  if (!operation) return
  checkOperation(operation, [...common, ...placeholders], check)
  const isUsed = needs.length === 0 || uses(operation, needs)
  if (!isUsed) check.problems.add(operation.place, `${name} never uses {${needs[0]}}`)
  if (name === 'list' || name === 'deliveries') checkPaging(operation, check)
  const drop = memberAt(operation, 'drop')
  if (drop && textIn(memberAt(operation, 'sends')) !== 'whole')
    check.problems.add(drop.place, 'drop leaves members out of a whole record, expected sends: whole beside it')
}

const TEMPLATES = ['path', 'headers', 'query', 'body', 'set', 'keep']

function checkOperation(
  operation: Located,
  names: readonly string[],
  { tree, resource, variables, problems }: ResourceCheck,
): void {
  const parts = membersOf(operation)
  checkPlaceholders(parts.get('base'), variables, problems)
  for (const key of TEMPLATES) checkPlaceholders(parts.get(key), names, problems)
  checkHeaders(parts.get('headers'), tree, problems)
  checkQuery(parts.get('query'), problems)
  for (const member of ['query', 'body']) checkMethodMembers(parts.get(member), problems)
  checkPlaceholders(memberAt(operation, 'paging', 'path'), [...names, 'last'], problems)
  checkPath(tree, resource, operation, problems)
}

/** The parts of a path may begin in any way, the whole begins with a slash. */
function checkPath(tree: Located, resource: Located, operation: Located | undefined, problems: Problems): void {
  const base = memberAt(operation, 'base') ?? memberAt(resource, 'base') ?? memberAt(tree, 'base')
  const path = [memberAt(resource, 'path'), memberAt(operation, 'path')].flatMap((node) => textIn(node) ?? []).join('')
  checkSlash(base, problems)
  const at = memberAt(resource, 'path') ?? memberAt(operation, 'path')
  if (at && path !== '' && !path.startsWith('/'))
    problems.add(at.place, `${JSON.stringify(path)}, expected / at its beginning`)
}

const NEEDED_PAGING: Readonly<Record<string, readonly string[]>> = {
  cursor: ['param', 'next'],
  page: ['param'],
  offset: ['param'],
  last: ['path', 'param'],
  next_url: ['next'],
}

function checkPaging(operation: Located, { tree, resource, problems }: ResourceCheck): void {
  const paging = [tree, resource, operation]
    .map((node) => memberAt(node, 'paging'))
    .filter((node) => node !== undefined)
  const last = paging.at(-1)
  const whole = paging.reduce<Located | undefined>(
    (outer, inner) => (outer ? overridden(outer, inner) : inner),
    undefined,
  )
  if (!last || !whole) {
    problems.add(
      operation.place,
      'paging is missing for this list, for its resource and for the connector, expected paging: none or by: ...',
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

function checkBatches(batch: Located | undefined, common: readonly string[], check: ResourceCheck): void {
  if (!batch) return
  const { resource, problems } = check
  const parts = membersOf(batch)
  const shared = { ...batch, value: new Map([...parts].filter(([key]) => !BATCH_KINDS.some((kind) => kind === key))) }
  const kinds = BATCH_KINDS.flatMap((name) => {
    const kind = parts.get(name)
    return kind ? [{ name, kind }] : []
  })
  if (kinds.length === 0) problems.add(batch.place, `"batch" has none of ${BATCH_KINDS.join(', ')}, expected one`)
  const fields = ['id', ...membersOf(memberAt(resource, 'fields')).keys()]
  for (const { name, kind } of kinds) {
    const whole = merged(shared, kind)
    for (const key of ['size', 'item']) {
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
  const [item, row] = [memberAt(whole, 'item'), memberAt(whole, 'row')]
  const isSent = ['body', 'query'].some((key) => usesIn(memberAt(whole, key), ['items']))
  if (!isSent) problems.add(place, `the batch ${kind} sends {items} neither in its body nor in its query`)
  const isAll = textIn(memberAt(whole, 'accounts')) === 'all'
  if (!has('results') && (kind === 'read' || !isAll)) {
    problems.add(place, `results is missing for the batch ${kind}, expected the path of its outcomes, or accounts: all`)
  }
  const isCorrelated = row !== undefined && textIn(row) !== 'none'
  const isNamed = usesIn(item, ['row'])
  if (isCorrelated !== isNamed && kind !== 'read' && !isAll) {
    const what = isCorrelated ? 'row is stated, and item never uses {row}' : 'item uses {row}, and row is missing'
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
