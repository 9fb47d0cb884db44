import { type Document, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { VERB_NAMES } from './format.ts'
import { BATCH_KINDS } from './shared-parts.ts'

// Files that say `connector: 1`, of earlier versions: rewritten where they stand, with their comments.

const WRITES = ['create', 'update', 'delete', 'restore', 'upsert', 'batch']
const OF_ONE = ['get', 'update', 'delete']
const OF_RECORD = ['id', 'created_at', 'updated_at', 'version', 'deleted', 'inside', 'clear']

export function isFormat1(text: string): boolean {
  return /^(?:\{\s*)?["']?connector["']?:\s*1\s*(?:[,#}].*)?$/m.test(text)
}

/** The text of a shipped connector, in format 2. */
type BaseOf = (name: string) => string | undefined

/** The same connector in format 2. What format 2 cannot say stays, so that its reading names it. */
export function rewriteFormat1(text: string, baseOf: BaseOf): string {
  const document = parseDocument(text)
  const { contents, errors } = document
  // Its reading names what is wrong, at its place.
  if (!isMap(contents) || errors.length > 0) return text.replace(/(connector["']?:\s*)1/, (_, name) => `${name}2`)
  const root = contents as Members
  document.set('connector', 2)
  gather(document, root, { under: 'record', names: ['clear'] })
  renameIn(root.get('idempotency'), 'keeps', 'window')
  rename(root, 'resources', 'objects')
  const base = root.get('extends')
  const inherited = typeof base === 'string' ? objectsOf(base, baseOf) : new Map<string, Inherited>()
  const objects = membersOf(root.get('objects'))
  for (const [noun, object] of objects) {
    const like = object.get('like')
    const model = objects.find(([name]) => name === like)?.[1]
    const before = typeof like === 'string' ? (model ? ownOf(model) : inherited.get(like)) : inherited.get(noun)
    const only = rewriteObject(document, object, { ...before, ...ownPath(object), isNew: before === undefined })
    // It would have the verbs that the shipped connector has for all objects.
    if (before === undefined && base !== undefined) object.set('only', document.createNode(only, { flow: true }))
  }
  rewriteSuccess(document, root)
  return document.toString({ lineWidth: 0, singleQuote: true })
}

type Members = YAMLMap<unknown, unknown>

function membersOf(node: unknown): readonly (readonly [string, Members])[] {
  if (!isMap(node)) return []
  return node.items.flatMap(({ key, value }) => (isMap(value) ? [[nameOf(key), value as Members] as const] : []))
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}

function renameIn(node: unknown, from: string, to: string): void {
  if (isMap(node)) rename(node as Members, from, to)
}

function rename(map: Members, from: string, to: string): void {
  const pair = map.items.find(({ key }) => nameOf(key) === from)
  if (pair && isScalar(pair.key)) pair.key.value = to
}

/** Members of these names, moved into one that stands where the first of them stood. */
function gather(
  document: Document,
  map: Members,
  { under, names }: { readonly under: string; readonly names: readonly string[] },
): void {
  const isIts = ({ key }: Pair) => names.includes(nameOf(key))
  const found = map.items.filter(isIts)
  const [first] = found
  if (!first) return
  const inner = document.createNode({}) as Members
  inner.items.push(...found)
  const at = map.items.indexOf(first)
  const pair = document.createPair(under, inner)
  map.items = map.items.flatMap((each, place) => (place === at ? [pair] : isIts(each) ? [] : [each]))
}

/** What an object begins with: that of a shipped connector, or one that it is like. */
interface Inherited {
  readonly path?: string
  readonly verbs?: readonly string[]
}

function ownPath(object: Members): { readonly path?: string } {
  const path = object.get('path')
  return typeof path === 'string' ? { path } : {}
}

function ownOf(object: Members): Inherited {
  const verbs = isMap(object.get('verbs')) ? (object.get('verbs') as Members) : object
  const names = verbs.items.map(({ key }) => nameOf(key))
  return { ...ownPath(object), verbs: VERB_NAMES.filter((verb) => names.includes(verb)) }
}

function objectsOf(name: string, baseOf: BaseOf): ReadonlyMap<string, Inherited> {
  const { contents } = parseDocument(baseOf(name) ?? '')
  if (!isMap(contents)) return new Map()
  const root = contents as Members
  const base = root.get('extends')
  const all = new Map(typeof base === 'string' ? objectsOf(base, baseOf) : [])
  const shared = membersOf(root).find(([member]) => member === 'verbs')?.[1]
  const { verbs: ofAll = [] } = shared ? ownOf(shared) : {}
  for (const [noun, object] of membersOf(root.get('objects'))) {
    const { verbs = [], ...path } = all.get(noun) ?? {}
    all.set(noun, { ...path, ...ownPath(object), verbs: [...verbs, ...ofAll, ...(ownOf(object).verbs ?? [])] })
  }
  return all
}

interface Around extends Inherited {
  /** Nothing of it is inherited. */
  readonly isNew: boolean
}

/** Returns the verbs that it states. */
function rewriteObject(document: Document, object: Members, { path, verbs = [], isNew }: Around): readonly string[] {
  const own = ownOf(object).verbs ?? []
  for (const verb of own) {
    for (const operation of operationsOf(object, verb)) {
      rewritePath(operation, { path, isOfOne: OF_ONE.includes(verb) && !verbs.includes(verb) })
      if (WRITES.includes(verb)) rewriteAnswer(operation, object)
      if (verb === 'update' && operation.get('method') === 'PUT' && !operation.has('sends'))
        operation.set('sends', 'changes')
    }
  }
  const batch = object.get('batch')
  if (isMap(batch)) rewriteBatch(document, batch as Members, { object, path, isWhole: isNew })
  gather(document, object, { under: 'record', names: OF_RECORD })
  gather(document, object, { under: 'verbs', names: VERB_NAMES })
  return own
}

interface BatchAround {
  readonly object: Members
  readonly path: string | undefined
  /** Whether nothing of it is inherited. */
  readonly isWhole: boolean
}

/** Of find and upsert, one for each field. */
function operationsOf(object: Members, verb: string): readonly Members[] {
  const node = object.get(verb)
  if (verb === 'find' || verb === 'upsert') return membersOf(node).map(([, each]) => each)
  return isMap(node) ? [node as Members] : []
}

function rewriteBatch(document: Document, batch: Members, { object, path, isWhole }: BatchAround): void {
  const kinds = membersOf(batch).filter(([name]) => BATCH_KINDS.some((kind) => kind === name))
  for (const [, operation] of [['', batch] as const, ...kinds]) {
    if (operation.has('path')) rewritePath(operation, { path, isOfOne: false })
    rewriteAnswer(operation, object)
    const row = operation.get('row')
    if (operation.get('accounts') === 'all') operation.set('match', 'all')
    else if (isMap(row)) {
      rename(operation, 'row', 'match')
      row.items.unshift(document.createPair('by', 'mark'))
    } else if (row === 'none') operation.set('match', 'id')
    operation.delete('row')
    operation.delete('accounts')
  }
  const isNamed = (each: Members) => each.has('match')
  if (isWhole && !isNamed(batch) && !kinds.every(([, kind]) => isNamed(kind))) batch.set('match', 'id')
}

/** The path of an operation followed that of its resource. */
function rewritePath(
  operation: Members,
  { path, isOfOne }: { readonly path: string | undefined; readonly isOfOne: boolean },
): void {
  const own = operation.get('path')
  if (path === undefined) return
  if (typeof own === 'string') {
    if (isOfOne && own === '/{id}' && path.startsWith('/')) operation.delete('path')
    else operation.set('path', `{object}${own}`)
  } else if (isOfOne) operation.set('path', '{object}')
}

/** `record` and `returns` of writes were what `gives` is. */
function rewriteAnswer(operation: Members, object: Members): void {
  const [record, returns] = [operation.get('record'), operation.get('returns')]
  const id = object.get('id')
  const idPath = typeof id === 'string' ? id : isMap(id) ? String(id.get('at')) : 'id'
  const inside = typeof record === 'string' && record !== '.' ? record : undefined
  operation.delete('record')
  operation.delete('returns')
  if (returns === 'nothing') operation.set('gives', 'nothing')
  else if (returns === 'id') operation.set('gives', inside === undefined ? idPath : `${inside}.${idPath}`)
  else if (inside !== undefined) operation.set('gives', inside)
}

/** A refusal by `success: false` needs no words; any other `success` was for reads, too, which format 2 cannot say. */
function rewriteSuccess(document: Document, root: Members): void {
  const success = root.get('success')
  if (!isMap(success)) return
  const [at, not] = ['at', 'not'].map((name) => success.get(name))
  if (not !== false || (at !== 'success' && at !== 'ok')) return
  root.delete('success')
  const verbs = membersOf(root.get('objects')).flatMap(([, object]) => membersOf(object.get('verbs')))
  for (const [verb, operation] of verbs) {
    if (verb === 'delete' && !operation.has('ok'))
      operation.set('ok', document.createNode({ at, is: true }, { flow: true }))
  }
}
