export type OperationType = 'query' | 'mutation' | 'subscription'

export interface GraphqlOperation {
  readonly type: OperationType
  readonly name: string | undefined
  /** Without the `$`. */
  readonly variables: readonly string[]
  /** The fields of the outermost selection, those that fragments bring into it among them. */
  readonly fields: readonly string[]
}

/** Comments, strings and block strings, names with the sign before them, spreads, and what is left. */
const TOKEN =
  /#[^\n\r]*|"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n\r])*"|[$@]?[_A-Za-z][_0-9A-Za-z]*|\.\.\.|[^\s,\ufeff]/g

/** The operations of a document, without validation, which is up to the server. */
export function readOperations(text: string): readonly GraphqlOperation[] {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^[#"]/.test(token))
  const operations: (Head & { readonly type: OperationType; readonly selection: Selection })[] = []
  const fragments = new Map<string, Selection>()
  for (let at = 0; at < tokens.length; ) {
    const head = readHead(tokens, at)
    const end = endOf(tokens, head.bodyAt)
    const selection = readSelection(tokens.slice(head.bodyAt + 1, end))
    if (head.type) operations.push({ ...head, type: head.type, selection })
    else if (head.name !== undefined) fragments.set(head.name, selection)
    at = end + 1
  }
  return operations.map(({ type, name, variables, selection }) => ({
    type,
    name,
    variables,
    fields: fieldsOf(selection, fragments),
  }))
}

interface Head {
  /** Undefined for a fragment. */
  readonly type: OperationType | undefined
  readonly name: string | undefined
  readonly variables: readonly string[]
  /** Of the brace that opens the selection. */
  readonly bodyAt: number
}

/** Variables may have objects as defaults, so that the first brace outside of brackets opens the selection. */
function readHead(tokens: readonly string[], start: number): Head {
  let bodyAt = start
  for (let depth = 0; bodyAt < tokens.length; bodyAt++) {
    if (tokens[bodyAt] === '(') depth++
    else if (tokens[bodyAt] === ')') depth--
    else if (tokens[bodyAt] === '{' && depth === 0) break
  }
  const [keyword = '{', second = ''] = tokens.slice(start, bodyAt)
  const words = tokens.slice(start, bodyAt)
  const variables = words.flatMap((word, at) => (word.startsWith('$') && words[at + 1] === ':' ? [word.slice(1)] : []))
  const type =
    keyword === '{'
      ? 'query'
      : keyword === 'query' || keyword === 'mutation' || keyword === 'subscription'
        ? keyword
        : undefined
  return { type, name: /^[_A-Za-z]/.test(second) ? second : undefined, variables, bodyAt }
}

function endOf(tokens: readonly string[], bodyAt: number): number {
  let depth = 0
  for (let at = bodyAt; at < tokens.length; at++) {
    if (tokens[at] === '{') depth++
    else if (tokens[at] === '}' && --depth === 0) return at
  }
  return tokens.length
}

interface Selection {
  readonly fields: readonly string[]
  /** The names of the fragments that are spread in it. */
  readonly spreads: readonly string[]
}

function readSelection(body: readonly string[]): Selection {
  const fields: string[] = []
  const spreads: string[] = []
  for (const at of outermost(body)) {
    const token = body[at] ?? ''
    if (isSpreadName(body, at)) spreads.push(token)
    else if (isField(body, at)) fields.push(token)
  }
  return { fields, spreads }
}

/** Where the words of a selection stand; what an inline fragment holds stands in the selection around it. */
function outermost(body: readonly string[]): readonly number[] {
  const places: number[] = []
  const levels: number[] = []
  let depth = 0
  let isAfterSpread = false
  for (const [at, token] of body.entries()) {
    if (isOpening(token)) {
      const isInline: boolean = isAfterSpread && depth === 0 && token === '{'
      isAfterSpread &&= !isInline
      levels.push(isInline ? 0 : 1)
      depth += levels.at(-1) ?? 0
    } else if (isClosing(token)) depth -= levels.pop() ?? 1
    else if (depth === 0) {
      places.push(at)
      isAfterSpread = token === '...' || (isAfterSpread && !isSpreadName(body, at))
    }
  }
  return places
}

function isOpening(token: string): boolean {
  return token === '{' || token === '('
}

function isClosing(token: string): boolean {
  return token === '}' || token === ')'
}

function isSpreadName(body: readonly string[], at: number): boolean {
  return body[at - 1] === '...' && body[at] !== 'on' && isName(body[at])
}

/** Neither an alias, nor a type condition, nor the name of a directive that stands apart from its sign. */
function isField(body: readonly string[], at: number): boolean {
  const before = body[at - 1]
  const isCondition = before === '...' || (before === 'on' && body[at - 2] === '...')
  return isName(body[at]) && body[at + 1] !== ':' && before !== '@' && !isCondition
}

function isName(token = ''): boolean {
  return /^[_A-Za-z]/.test(token)
}

/** Each fragment counts once: fragments may be spread several times, and even form cycles. */
function fieldsOf(selection: Selection, fragments: ReadonlyMap<string, Selection>): readonly string[] {
  if (selection.spreads.length === 0) return selection.fields
  const fields = [...selection.fields]
  const spreads = new Set(selection.spreads)
  // Iteration includes elements added during it.
  for (const name of spreads) {
    const fragment = fragments.get(name)
    for (const field of fragment?.fields ?? []) fields.push(field)
    for (const spread of fragment?.spreads ?? []) spreads.add(spread)
  }
  return fields
}
