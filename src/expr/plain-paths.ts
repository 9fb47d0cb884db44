/** A member that a program reads from the record itself. */
export interface PathUse {
  /** The names of its path, starting at the record. */
  readonly path: readonly string[]
  /** Offsets of the last name in the program; those of `{name}` begin before the name. */
  readonly start: number
  readonly end: number
  readonly isShorthand: boolean
}

/** `.amount > 1000`: a path ordered against a literal. */
export interface OrderedComparison {
  readonly member: Operand
  readonly literal: Operand
  readonly operator: string
}

export interface PlainPaths {
  /** Without the members that `has("name")` or `"name" | in(…)` marks as optional. */
  readonly uses: readonly PathUse[]
  readonly comparisons: readonly OrderedComparison[]
  /** Literal arguments of `older_than`. */
  readonly durations: readonly string[]
}

/** A literal, a path, or a path in brackets, with a literal default or without. */
export interface Operand {
  readonly literal: 'number' | 'text' | undefined
  /** The names of the path; each has an offset of its own. */
  readonly names: readonly Token[]
  /** What the names are read from: the input, an element of it (`.[]`, `.[0]`), or a variable. */
  readonly of: 'input' | 'element' | 'variable'
  /** Offsets in the program. */
  readonly start: number
  readonly end: number
  /** Index of the token after the operand. */
  readonly next: number
}

/** What `.` is in a part of a program. */
type Place = 'record' | 'list' | undefined

const ORDERS = ['<', '<=', '>', '>=']
/** Operators that bind tighter than a comparison. */
const ARITHMETIC = ['+', '-', '*', '/', '%']
const ASSIGNMENTS = ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=']
const KEYWORDS = ['and', 'or', 'if', 'then', 'elif', 'else', 'try']
/** A path begins after one of these. */
const BEFORE_PATH = [...KEYWORDS, ...ORDERS, ...ARITHMETIC, '(', '[', '{', '|', ',', ';', ':', '==', '!=', '//']
/** In a program with one of these, the input of a path does not follow from its position alone. */
const NOT_FOLLOWED = [...ASSIGNMENTS, 'def', 'as', 'reduce', 'foreach', 'label', 'catch', 'import', 'include', '?//']
/** Their argument is evaluated for each element of a list. */
const BY_ELEMENT = ['map', 'sort_by', 'group_by', 'unique_by', 'min_by', 'max_by']
/** Their result is their input, or part of it. */
const SAME_RESULT = ['select', 'sort_by', 'unique_by', 'sort', 'unique', 'reverse']

/**
 * The plain paths (`.name`, `."a b"`, `.owner["name"]`) that a program provably reads from the record, when its input is a record or a
 * list of records: those at the start of a pipe, inside and after `select`, and inside `map`. A program that cannot be parsed has none.
 */
export function plainPaths(program: string, sees: 'record' | 'list'): PlainPaths {
  try {
    return readPaths(jqTokens(program), sees)
  } catch (error) {
    if (!(error instanceof UnreadJq)) throw error
    return { uses: [], comparisons: [], durations: [] }
  }
}

function readPaths(tokens: readonly Token[], sees: Place): PlainPaths {
  const all = withInner(tokens)
  const durations = all.flatMap((part) =>
    part.flatMap((token, at) => {
      const isAlone = isCallOf('older_than', part, at) && wordAt(part, at + 1) === ')'
      return isAlone && (isText(token) || token.kind === 'number') ? [token.text ?? ''] : []
    }),
  )
  const mayBeAbsent = all.flatMap((part) =>
    part.flatMap(({ kind, text }, at) => {
      const isAsked = isCallOf('has', part, at) || (wordAt(part, at + 1) === '|' && wordAt(part, at + 2) === 'in')
      return kind === 'text' && isAsked ? [text] : []
    }),
  )
  const isFollowed = !all.some((part) => part.some((_, at) => NOT_FOLLOWED.includes(wordAt(part, at))))
  const uses = isFollowed ? usesIn(tokens, sees) : []
  return {
    uses: uses.filter(({ path }) => !path.some((name) => mayBeAbsent.includes(name))),
    comparisons: all.flatMap(comparisonsIn),
    durations,
  }
}

/** The tokens of the program, and those of each interpolation. */
function withInner(tokens: readonly Token[]): readonly (readonly Token[])[] {
  return [tokens, ...tokens.flatMap(({ inner }) => inner.flatMap(withInner))]
}

/** The text of a mark or a name; empty for any other token, and after the end. */
function wordAt(tokens: readonly Token[], at: number): string {
  const { kind, text = '' } = tokens[at] ?? {}
  return kind === 'mark' || kind === 'name' ? text : ''
}

/** Whether the token is the first argument of a call. */
function isCallOf(name: string, tokens: readonly Token[], at: number): boolean {
  return wordAt(tokens, at - 1) === '(' && wordAt(tokens, at - 2) === name
}

function isPathAt(tokens: readonly Token[], at: number): boolean {
  return at === 0 || BEFORE_PATH.includes(wordAt(tokens, at - 1))
}

function usesIn(tokens: readonly Token[], sees: Place): readonly PathUse[] {
  const inputs = new Inputs(tokens, sees)
  return tokens.flatMap(({ inner }, at) => {
    const { place, isObject } = inputs.level
    const found = inner.flatMap((part) => usesIn(part, place))
    if (isObject && isKeyAt(tokens, at)) return [...found, ...shorthandAt(tokens, at, place)]
    inputs.pass(at)
    return [...found, ...pathUsesAt(tokens, at, inputs.level)]
  })
}

function isKeyAt(tokens: readonly Token[], at: number): boolean {
  return ['{', ','].includes(wordAt(tokens, at - 1)) && !['(', '}'].includes(wordAt(tokens, at))
}

function shorthandAt(tokens: readonly Token[], at: number, place: Place): readonly PathUse[] {
  const token = tokens[at]
  const isShorthand = [',', '}'].includes(wordAt(tokens, at + 1)) && token?.kind !== 'variable'
  return isShorthand && place === 'record' && token?.text !== undefined ? [useOf([token], true)] : []
}

function pathUsesAt(tokens: readonly Token[], at: number, { place, from }: Level): readonly PathUse[] {
  // `select(…).name`
  const isOfResult = tokens[at]?.kind === 'field' && isSameResult(tokens.slice(from, at))
  const isPath = isOfResult || isPathAt(tokens, at)
  const { of, names } = (isPath && pathAt(tokens, at)) || { of: 'variable', names: [] }
  const isRead = of === 'input' ? place === 'record' : of === 'element' && place === 'list'
  return isRead ? names.map((_, last) => useOf(names.slice(0, last + 1), false)) : []
}

interface Level {
  /** What `.` is at the first step of each pipe in the bracket. */
  readonly first: Place
  readonly isObject: boolean
  readonly place: Place
  /** Where the present step begins. */
  readonly from: number
}

/** Tracks what `.` is, token by token. */
class Inputs {
  level: Level
  readonly #tokens: readonly Token[]
  readonly #outer: Level[] = []

  constructor(tokens: readonly Token[], first: Place) {
    this.#tokens = tokens
    this.level = { first, place: first, from: 0, isObject: false }
  }

  pass(at: number): void {
    const word = wordAt(this.#tokens, at)
    const { first, isObject } = this.level
    if (['(', '[', '{', 'if'].includes(word)) this.#enter(at, word === '{')
    else if ([')', ']', '}', 'end'].includes(word)) this.level = this.#outer.pop() ?? this.level
    else if (word === '|') this.level = { ...this.level, place: this.#after(at), from: at + 1 }
    else if ([';', ':', 'then', 'elif', 'else'].includes(word) || (isObject && word === ',')) {
      this.level = { ...this.level, place: first, from: at + 1 }
    }
  }

  #enter(at: number, isObject: boolean): void {
    const first = placeInside(this.#tokens, at, this.level.place)
    this.#outer.push(this.level)
    this.level = { first, place: first, from: at + 1, isObject }
  }

  /** What `.` is after the step that ends here. */
  #after(at: number): Place {
    const { place, from } = this.level
    const step = this.#tokens.slice(from, at)
    const isElements = place === 'list' && step.map((_, each) => wordAt(step, each)).join('') === '.[]'
    return isSameResult(step) ? place : isElements ? 'record' : undefined
  }
}

function useOf(names: readonly Token[], isShorthand: boolean): PathUse {
  const { start = 0, end = 0 } = names.at(-1) ?? {}
  return { path: names.map(({ text = '' }) => text), start, end, isShorthand }
}

/** The input inside the bracket at this place. */
function placeInside(tokens: readonly Token[], at: number, place: Place): Place {
  const isCall = wordAt(tokens, at) === '(' && tokens[at - 1]?.kind === 'name'
  const name = wordAt(tokens, at - 1)
  if (!isCall || KEYWORDS.includes(name) || name === 'select') return place
  return BY_ELEMENT.includes(name) && place === 'list' ? 'record' : undefined
}

/** Whether the result of a step is its input, or part of it. */
function isSameResult(step: readonly Token[]): boolean {
  if (step.length === 1) return ['.', ...SAME_RESULT].includes(wordAt(step, 0))
  const isCall = SAME_RESULT.includes(wordAt(step, 0)) && wordAt(step, 1) === '('
  // The bracket of the call closes at the end of the step.
  let depth = 0
  const ends = step
    .map((_, at) => (depth += depthChange(wordAt(step, at))))
    .flatMap((each, at) => (each === 0 ? [at] : []))
  return isCall && ends[1] === step.length - 1
}

function pathAt(tokens: readonly Token[], at: number): Operand | undefined {
  const head = tokens[at]
  const isDot = wordAt(tokens, at) === '.'
  if (!head || (head.kind !== 'field' && head.kind !== 'variable' && !isDot)) return undefined
  const names = head.kind === 'field' ? [head] : []
  let of: Operand['of'] = head.kind === 'variable' ? 'variable' : 'input'
  let next = at + 1
  for (let step = stepAt(tokens, next, isDot); step; step = stepAt(tokens, next, false)) {
    if (step.name) names.push(step.name)
    else if (of === 'input' && names.length === 0) of = 'element'
    else break
    next = step.next
  }
  return { literal: undefined, names, of, start: head.start, end: tokens[next - 1]?.end ?? head.end, next }
}

interface PathStep {
  /** Undefined for an element. */
  readonly name?: Token
  readonly next: number
}

function stepAt(tokens: readonly Token[], from: number, isAfterDot: boolean): PathStep | undefined {
  const isDotted = wordAt(tokens, from) === '.'
  const at = isDotted ? from + 1 : from
  const token = tokens[at]
  if (!isDotted && token?.kind === 'field') return { name: token, next: at + 1 }
  if (token && (isDotted || isAfterDot) && isText(token)) return { name: token, next: at + 1 }
  return wordAt(tokens, at) === '[' ? indexAt(tokens, at + 1) : undefined
}

/** `["name"]`, `[]` and `[0]`. */
function indexAt(tokens: readonly Token[], at: number): PathStep | undefined {
  if (wordAt(tokens, at) === ']') return { next: at + 1 }
  const token = tokens[at]
  if (wordAt(tokens, at + 1) !== ']') return undefined
  if (token?.kind === 'number') return { next: at + 2 }
  return token && isText(token) ? { name: token, next: at + 2 } : undefined
}

/** A text without interpolations. */
function isText({ kind, text }: Token): boolean {
  return kind === 'text' && text !== undefined
}

function literalAt(tokens: readonly Token[], at: number): Operand | undefined {
  const place = wordAt(tokens, at) === '-' ? at + 1 : at
  const token = tokens[place]
  if (!token || (token.kind !== 'number' && !isText(token))) return undefined
  const literal = token.kind === 'number' ? 'number' : 'text'
  return { literal, names: [], of: 'variable', start: tokens[at]?.start ?? 0, end: token.end, next: place + 1 }
}

/** `(.amount)` and `(.amount // 0)`. */
function bracketedAt(tokens: readonly Token[], at: number): Operand | undefined {
  const path = wordAt(tokens, at) === '(' ? pathAt(tokens, at + 1) : undefined
  if (!path) return undefined
  const literal = wordAt(tokens, path.next) === '//' ? literalAt(tokens, path.next + 1) : undefined
  const closing = (literal ?? path).next
  if (wordAt(tokens, closing) !== ')') return undefined
  return { ...path, start: tokens[at]?.start ?? 0, end: tokens[closing]?.end ?? 0, next: closing + 1 }
}

function comparisonsIn(tokens: readonly Token[]): readonly OrderedComparison[] {
  return tokens.flatMap((_, at) => {
    const left = isPathAt(tokens, at) ? operandAt(tokens, at) : undefined
    const operator = left ? wordAt(tokens, left.next) : ''
    const right = left && ORDERS.includes(operator) ? operandAt(tokens, left.next + 1) : undefined
    if (!left || !right) return []
    const isPart = [wordAt(tokens, at - 1), wordAt(tokens, right.next)].some((word) => ARITHMETIC.includes(word))
    if (isPart || (left.literal === undefined) === (right.literal === undefined)) return []
    return [left.literal ? { member: right, literal: left, operator } : { member: left, literal: right, operator }]
  })
}

function operandAt(tokens: readonly Token[], at: number): Operand | undefined {
  return literalAt(tokens, at) ?? pathAt(tokens, at) ?? bracketedAt(tokens, at)
}

interface Token {
  readonly kind: 'field' | 'name' | 'variable' | 'text' | 'format' | 'number' | 'mark'
  /** A field or a variable without its first character; a string unescaped, or undefined when it is interpolated. */
  readonly text: string | undefined
  readonly start: number
  readonly end: number
  /** The interpolations of a string: `"\(…)"`. */
  readonly inner: readonly (readonly Token[])[]
}

/** Thrown for a program that this reader cannot parse; jq may accept it. */
class UnreadJq extends Error {}

const SPACE = /\s+|#[^\n]*/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const FIELD = /\.([A-Za-z_]\w*)/y
const NAME = /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/y
const VARIABLE = /\$(\w+(?:::\w+)*)/y
const FORMAT = /@\w+/y
const MARK = /\?\/\/|\/\/=|[|+\-*/%]=|[=!<>]=|\/\/|\.\.|[.=<>|,;:?()[\]{}+\-*/%]/y

/** The tokens of a jq program (by the lexer of jq 1.8.2), without spaces and comments. */
function jqTokens(program: string): readonly Token[] {
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
function depthChange(mark: string): number {
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
