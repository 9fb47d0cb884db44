export type OperationType = 'query' | 'mutation' | 'subscription'

export interface Operation {
  readonly type: OperationType
  readonly name: string | undefined
  /** Without the sign. */
  readonly variables: readonly string[]
  /** The fields of the outermost selection; those of fragments are not among them. */
  readonly fields: readonly string[]
}

/** Comments, strings and block strings, names with the sign before them, spreads, and what is left. */
const TOKEN =
  /#[^\n\r]*|"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n\r])*"|[$@]?[_A-Za-z][_0-9A-Za-z]*|\.\.\.|[^\s,\ufeff]/g

/** What a document asks for, as far as its outline says; whether it is valid is for the server to tell. */
export function readOperations(text: string): readonly Operation[] {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^[#"]/.test(token))
  const operations: Operation[] = []
  for (let at = 0; at < tokens.length; ) {
    const head = readHead(tokens, at)
    const end = endOf(tokens, head.bodyAt)
    if (head.type) {
      const { type, name, variables, bodyAt } = head
      operations.push({ type, name, variables, fields: fieldsOf(tokens.slice(bodyAt + 1, end)) })
    }
    at = end + 1
  }
  return operations
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

function fieldsOf(body: readonly string[]): readonly string[] {
  const fields: string[] = []
  let depth = 0
  for (const [at, token] of body.entries()) {
    if (token === '{' || token === '(') depth++
    else if (token === '}' || token === ')') depth--
    else if (depth === 0 && /^[_A-Za-z]/.test(token) && isField(body, at)) fields.push(token)
  }
  return fields
}

/** Neither an alias nor the name of a spread or of its type. */
function isField(body: readonly string[], at: number): boolean {
  const before = body[at - 1]
  return body[at + 1] !== ':' && before !== '...' && !(before === 'on' && body[at - 2] === '...')
}
