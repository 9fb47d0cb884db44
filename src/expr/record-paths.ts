import { callOf, elementOf, type Sight } from './jq-calls.ts'
import { jqTokens, type Token, UnreadJq } from './jq-tokens.ts'
import { TokenCursor } from './token-cursor.ts'

/** A member that a program takes from the record itself. */
export interface PathUse {
  /** The names that lead to it, from the record on. */
  readonly path: readonly string[]
  /** Where the last name stands; of `{name}` in front of the name. */
  readonly start: number
  readonly end: number
  readonly isShorthand: boolean
}

export interface ProgramPaths {
  /** Without those that `has("name")` says may be absent. */
  readonly uses: readonly PathUse[]
  /** Times that `older_than` is given as they stand. */
  readonly durations: readonly string[]
}

/**
 * The members that a program provably takes from the record, where it sees a record or a list of them. What came out of
 * anything that makes another value is not followed: nothing is said of it. A program that these rules cannot read uses
 * none.
 */
export function recordPaths(program: string, sees: 'record' | 'list'): ProgramPaths {
  try {
    const record: Sight = { place: [] }
    const reader = new ProgramReader(jqTokens(program))
    reader.program(sees === 'list' ? { list: record } : record)
    const uses = reader.uses.filter(({ path }) => !path.some((name) => reader.mayBeAbsent.has(name)))
    return { uses, durations: reader.durations }
  } catch (error) {
    if (!(error instanceof UnreadJq)) throw error
    return { uses: [], durations: [] }
  }
}

const OPERATORS: readonly string[] = ['//', '==', '!=', '<=', '>=', '<', '>', '+', '-', '*', '/', '%', 'and', 'or', ',']
const ASSIGNMENTS: readonly string[] = ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=']
const KEYWORDS: readonly string[] = [
  ...['and', 'or', 'then', 'elif', 'else', 'end', 'as', 'catch', 'import', 'include', 'module', '__loc__'],
]

/** The grammar of jq 1.7.1, as far as it matters for what `.` is. */
class ProgramReader {
  readonly uses: PathUse[] = []
  readonly durations: string[] = []
  readonly mayBeAbsent = new Set<string>()
  /** Names that the program defines, which then mean something else. */
  readonly #defined = new Set<string>()
  readonly #words: TokenCursor

  constructor(tokens: readonly Token[]) {
    this.#words = new TokenCursor(tokens)
  }

  program(sight: Sight): void {
    this.#pipe(sight)
    this.#words.expectEnd()
  }

  #pipe(sight: Sight): Sight {
    if (this.#words.take('def')) {
      this.#definition()
      return this.#pipe(sight)
    }
    const out = this.#operands(sight)
    return this.#words.take('|') ? this.#pipe(out) : out
  }

  /** Operands see the same value, whatever binds stronger; only one that stands alone is what comes out. */
  #operands(sight: Sight): Sight {
    const first = this.uses.length
    let seen = sight
    let out = this.#operand(seen)
    for (;;) {
      const operator = this.#operator()
      if (operator === undefined) return out.sight
      if (ASSIGNMENTS.includes(operator)) {
        // What is assigned to need not be there, and what is assigned may see another value.
        seen = undefined
        this.uses.length = first
      }
      // How far a handler reaches is for jq to say.
      if (out.isTry) seen = undefined
      out = { ...this.#operand(seen), sight: undefined }
    }
  }

  #operator(): string | undefined {
    const { kind, text = '' } = this.#words.peek() ?? {}
    if (kind !== 'mark' && kind !== 'name') return undefined
    if (!OPERATORS.includes(text) && !ASSIGNMENTS.includes(text)) return undefined
    this.#words.next()
    return text
  }

  #operand(sight: Sight): { readonly sight: Sight; readonly isTry: boolean } {
    const isNegated = this.#words.take('-')
    const isTry = this.#words.is('try')
    let out = this.#term(sight)
    if (this.#words.take('as')) {
      this.#words.skipUntil('|')
      out = this.#pipe(sight)
    }
    return { sight: isNegated ? undefined : out, isTry }
  }

  #term(sight: Sight): Sight {
    let out = this.#head(sight)
    for (;;) {
      const token = this.#words.peek()
      if (token?.kind === 'field') out = this.#member(out, this.#words.next())
      else if (this.#words.is('.') && this.#words.peek(1)?.kind === 'text') {
        this.#words.next()
        out = this.#textMember(out, sight)
      } else if (this.#words.is('.') && this.#words.is('[', 1)) this.#words.next()
      else if (this.#words.take('[')) out = this.#index(out, sight)
      else if (!this.#words.take('?')) return out
    }
  }

  #head(sight: Sight): Sight {
    const token = this.#words.next()
    const { kind, text } = token
    if (kind === 'field') return this.#member(sight, token)
    if (kind === 'text') return this.#inner(token, sight)
    if (kind === 'format')
      return this.#words.peek()?.kind === 'text' ? this.#inner(this.#words.next(), sight) : undefined
    if (kind === 'name') return this.#word(text ?? '', sight)
    if (kind === 'number' || kind === 'variable' || text === '..') return undefined
    if (text === '.') return this.#words.peek()?.kind === 'text' ? this.#textMember(sight, sight) : sight
    if (text === '(') return this.#until(')', sight)
    if (text === '[') return this.#list(sight)
    if (text === '{') return this.#object(sight)
    throw new UnreadJq()
  }

  #word(word: string, sight: Sight): Sight {
    if (KEYWORDS.includes(word)) throw new UnreadJq()
    if (word === 'if') return this.#condition(sight)
    if (word === 'try') {
      this.#term(sight)
      if (this.#words.take('catch')) this.#term(undefined)
      return undefined
    }
    if (word === 'reduce' || word === 'foreach') {
      this.#term(sight)
      this.#words.expect('as')
      this.#words.skipUntil('(')
      do this.#pipe(undefined)
      while (this.#words.take(';'))
      this.#words.expect(')')
      return undefined
    }
    if (word === 'label') {
      this.#words.next()
      this.#words.expect('|')
      return this.#pipe(sight)
    }
    if (word === 'break') {
      this.#words.next()
      return undefined
    }
    if (word === 'def') {
      this.#definition()
      return this.#pipe(sight)
    }
    return this.#call(word, sight)
  }

  #condition(sight: Sight): Sight {
    do {
      this.#pipe(sight)
      this.#words.expect('then')
      this.#pipe(sight)
    } while (this.#words.take('elif'))
    if (this.#words.take('else')) this.#pipe(sight)
    this.#words.expect('end')
    return undefined
  }

  #call(name: string, sight: Sight): Sight {
    if (!this.#words.take('(')) return this.#meaning(name, 0)(sight, () => undefined)
    const starts = this.#words.argumentStarts()
    this.#noteArgument(name, starts)
    let given = 0
    const argument = (seen: Sight): Sight => {
      if (given++ > 0) this.#words.expect(';')
      return this.#pipe(seen)
    }
    const out = this.#meaning(name, starts.length)(sight, argument)
    // Those of other functions see what nobody knows.
    while (given < starts.length) argument(undefined)
    this.#words.expect(')')
    return out
  }

  #meaning(name: string, count: number) {
    return callOf(this.#defined.has(name) ? '' : name, count)
  }

  #noteArgument(name: string, { length }: readonly number[]): void {
    const only = this.#words.peek()
    if (length > 1 || !this.#words.is(')', 1) || only?.text === undefined) return
    if (name === 'has' && only.kind === 'text') this.mayBeAbsent.add(only.text)
    const isWritten = only.kind === 'text' || only.kind === 'number'
    if (name === 'older_than' && isWritten && !this.#defined.has(name)) this.durations.push(only.text)
  }

  #definition(): void {
    while (!this.#words.is(':')) {
      const { kind, text } = this.#words.next()
      if ((kind === 'name' || kind === 'variable') && text !== undefined) this.#defined.add(text)
    }
    this.#words.expect(':')
    this.#pipe(undefined)
    this.#words.expect(';')
  }

  #list(sight: Sight): Sight {
    if (this.#words.take(']')) return undefined
    const list = this.#until(']', sight)
    return list && { list }
  }

  /** `.[]`, `.[0]`, `.["name"]`, `.[2:5]`: what stands inside sees what the whole term sees. */
  #index(out: Sight, sight: Sight): Sight {
    if (this.#words.take(']')) return elementOf(out)
    const token = this.#words.peek()
    if (this.#words.is(']', 1) && token?.kind === 'text') {
      const member = this.#textMember(out, sight)
      this.#words.expect(']')
      return member
    }
    const isNumber = token?.kind === 'number' && this.#words.is(']', 1)
    if (!this.#words.is(':')) this.#pipe(sight)
    const isSlice = this.#words.take(':')
    if (isSlice && !this.#words.is(']')) this.#pipe(sight)
    this.#words.expect(']')
    if (isSlice) return out && 'list' in out ? out : undefined
    return isNumber ? elementOf(out) : undefined
  }

  #object(sight: Sight): undefined {
    while (!this.#words.take('}')) {
      const token = this.#words.next()
      const { kind, text } = token
      const isComputed = kind === 'mark'
      if (isComputed && text !== '(') throw new UnreadJq()
      if (isComputed) this.#until(')', sight)
      else if (kind === 'format' && this.#words.peek()?.kind === 'text') this.#inner(this.#words.next(), sight)
      else this.#inner(token, sight)
      if (this.#words.take(':')) this.#objectValue(sight)
      else if ((kind === 'name' || kind === 'text') && text !== undefined) this.#member(sight, token, true)
      if (!this.#words.is('}')) this.#words.expect(',')
    }
  }

  #objectValue(sight: Sight): void {
    this.#words.take('-')
    const out = this.#term(sight)
    if (this.#words.take('|')) this.#objectValue(out)
  }

  #textMember(out: Sight, sight: Sight): Sight {
    const token = this.#words.next()
    if (token.text === undefined) return this.#inner(token, sight)
    return this.#member(out, token)
  }

  #member(sight: Sight, { text = '', start, end }: Token, isShorthand = false): Sight {
    if (!sight || !('place' in sight)) return undefined
    const place = [...sight.place, text]
    this.uses.push({ path: place, start, end, isShorthand })
    return { place }
  }

  #inner({ inner }: Token, sight: Sight): undefined {
    for (const part of inner) this.#words.within(part, () => this.#pipe(sight))
  }

  #until(closing: string, sight: Sight): Sight {
    const out = this.#pipe(sight)
    this.#words.expect(closing)
    return out
  }
}
