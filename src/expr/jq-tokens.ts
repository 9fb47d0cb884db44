export interface Token {
  readonly kind: 'field' | 'name' | 'variable' | 'text' | 'format' | 'number' | 'mark'
  /** A field or a variable without its first character; a string unescaped, or undefined when it is interpolated. */
  readonly text: string | undefined
  readonly start: number
  readonly end: number
  /** The interpolations of a string: `"\(…)"`. */
  readonly inner: readonly (readonly Token[])[]
}

/** Thrown for a program that this reader cannot parse; jq may accept it. */
export class UnreadJq extends Error {}

const SPACE = /\s+|#[^\n]*/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const FIELD = /\.([A-Za-z_]\w*)/y
const NAME = /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/y
const VARIABLE = /\$(\w+(?:::\w+)*)/y
const FORMAT = /@\w+/y
const MARK = /\?\/\/|\/\/=|[|+\-*/%]=|[=!<>]=|\/\/|\.\.|[.=<>|,;:?()[\]{}+\-*/%]/y

/** The tokens of a jq program (by the lexer of jq 1.8.2), without spaces and comments. */
export function jqTokens(program: string): readonly Token[] {
  const { tokens, end } = readTokens(program, 0)
  if (end !== undefined) throw new UnreadJq()
  return tokens
}

/** Up to the bracket that ends an interpolation (`end` is the offset after it), or to the end of the program. */
function readTokens(program: string, from: number): { tokens: readonly Token[]; end: number | undefined } {
  const tokens: Token[] = []
  let depth = 0
  for (let at = skipSpace(program, from); at < program.length; ) {
    const token = program[at] === '"' ? readText(program, at) : readWord(program, at)
    if (token.kind === 'mark') depth += depthChange(token.text ?? '')
    if (depth < 0) return { tokens, end: token.end }
    tokens.push(token)
    at = skipSpace(program, token.end)
  }
  return { tokens, end: undefined }
}

/** Of brackets around what follows. */
export function depthChange(mark: string): number {
  if (mark === '') return 0
  if ('([{'.includes(mark)) return 1
  return ')]}'.includes(mark) ? -1 : 0
}

function skipSpace(program: string, from: number): number {
  let at = from
  for (let space = match(SPACE, program, at); space; space = match(SPACE, program, at)) {
    // In jq 1.8.2 a backslash at the end of a line continues the comment.
    if (space[0].startsWith('#') && /\\\r?$/.test(space[0])) throw new UnreadJq()
    at += space[0].length
  }
  return at
}

const WORDS = [
  ['number', NUMBER],
  ['field', FIELD],
  ['variable', VARIABLE],
  ['name', NAME],
  ['format', FORMAT],
  ['mark', MARK],
] as const

function readWord(program: string, start: number): Token {
  for (const [kind, pattern] of WORDS) {
    const found = match(pattern, program, start)
    if (found) return { kind, text: found[1] ?? found[0], start, end: start + found[0].length, inner: [] }
  }
  throw new UnreadJq()
}

function readText(program: string, start: number): Token {
  const inner: (readonly Token[])[] = []
  let at = start + 1
  while (program[at] !== '"') {
    if (at >= program.length) throw new UnreadJq()
    if (program[at] !== '\\') at++
    else if (program[at + 1] !== '(') at += 2
    else {
      const { tokens, end } = readTokens(program, at + 2)
      if (end === undefined) throw new UnreadJq()
      inner.push(tokens)
      at = end
    }
  }
  const text = inner.length > 0 ? undefined : plainText(program.slice(start, at + 1))
  return { kind: 'text', text, start, end: at + 1, inner }
}

/** A jq string is a JSON string that may also contain line ends. */
function plainText(quoted: string): string {
  try {
    return String(JSON.parse(quoted.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')))
  } catch (cause) {
    throw new UnreadJq('no text', { cause })
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
