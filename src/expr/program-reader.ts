import { callOf, elementOf, type Sight } from './jq-calls.ts'
import { readPattern } from './jq-patterns.ts'
import {
  type Closure,
  closureIn,
  EMPTY_SCOPE,
  readDefinition,
  type Scope,
  withFunction,
  withVariables,
} from './jq-scope.ts'
import { type Token, UnreadJq } from './jq-tokens.ts'
import { TokenCursor } from './token-cursor.ts'
import { writtenAlone, writtenList } from './written-values.ts'

/** A member that a program takes from the record itself. */
export interface PathUse {
  /** The names that lead to it, from the record on. */
  readonly path: readonly string[]
  /** Where the last name stands; of `{name}` in front of the name. */
  readonly start: number
  readonly end: number
  readonly isShorthand: boolean
}

const OPERATORS: readonly string[] = ['//', '==', '!=', '<=', '>=', '<', '>', '+', '-', '*', '/', '%', 'and', 'or', ',']
const ASSIGNMENTS: readonly string[] = ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=']
const KEYWORDS: readonly string[] = [
  ...['and', 'or', 'then', 'elif', 'else', 'end', 'as', 'catch', 'import', 'include', 'module', '__loc__'],
]
/** A function is read anew for each call; one that calls itself would be without end. */
const MOST_CALLS = 500
const DEEPEST_CALL = 20

/** The grammar of jq 1.7.1, as far as it matters for what `.` is. */
export class ProgramReader {
  readonly uses: PathUse[] = []
  readonly durations: string[] = []
  /** Where names stand that are also taken from something else: in a function that is called on more than the record. */
  readonly unclear = new Set<number>()
  readonly #words: TokenCursor
  #scope: Scope = EMPTY_SCOPE
  #calls = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#words = new TokenCursor(tokens)
  }

  program(sight: Sight): void {
    this.#pipe(sight)
    this.#words.expectEnd()
  }

  #pipe(sight: Sight): Sight {
    if (this.#words.take('def')) return this.#within(readDefinition(this.#words, this.#scope), () => this.#pipe(sight))
    const out = this.#operands(sight)
    return this.#words.take('|') ? this.#pipe(out) : out
  }

  #within(scope: Scope, read: () => Sight): Sight {
    const outer = this.#scope
    this.#scope = scope
    const out = read()
    this.#scope = outer
    return out
  }

  #read(words: readonly Token[], scope: Scope, sight: Sight): Sight {
    return this.#words.within(words, () => this.#within(scope, () => this.#pipe(sight)))
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
        for (const { start } of this.uses.splice(first)) this.unclear.add(start)
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
      const scope = this.#bound(out)
      this.#words.expect('|')
      out = this.#within(scope, () => this.#pipe(sight))
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
    if (kind === 'format') return this.#formatted(sight)
    if (kind === 'name') return this.#word(text ?? '', sight)
    if (kind === 'variable') return this.#scope.variables.get(text ?? '')
    if (kind === 'number' || text === '..') return undefined
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
      const item = this.#term(sight)
      this.#words.expect('as')
      const scope = this.#bound(item)
      this.#words.expect('(')
      const [first = [], ...others] = this.#words.parts()
      this.#read(first, this.#scope, sight)
      for (const words of others) this.#read(words, scope, undefined)
      return undefined
    }
    if (word === 'label') {
      this.#words.next()
      this.#words.expect('|')
      return this.#pipe(sight)
    }
    if (word === 'break') return void this.#words.next()
    if (word === 'def') return this.#within(readDefinition(this.#words, this.#scope), () => this.#pipe(sight))
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
    const given = this.#words.take('(') ? this.#words.parts() : []
    const closure = closureIn(this.#scope, name, given.length)
    if (closure) return this.#enter(closure, given, sight)
    const [only] = given
    if (name === 'older_than' && only) this.durations.push(...writtenAlone(only))
    if (name === 'getpath' && only) return this.#getPath(only, sight)
    const scope = this.#scope
    let read = 0
    const argument = (seen: Sight): Sight => this.#read(given[read++] ?? [], scope, seen)
    const out = callOf(name, given.length)(sight, argument)
    // Those of other functions see what nobody knows.
    while (read < given.length) argument(undefined)
    return out
  }

  /** What a function of the program itself does with what it is called on. */
  #enter(closure: Closure, given: readonly (readonly Token[])[], sight: Sight): Sight {
    if (++this.#calls > MOST_CALLS || ++this.#depth > DEEPEST_CALL) throw new UnreadJq()
    let scope = closure.isRecursive ? withFunction(closure.scope, closure) : closure.scope
    for (const [at, { name, isVariable }] of closure.parameters.entries()) {
      const argument = { name, parameters: [], words: given[at] ?? [], scope: this.#scope, isRecursive: false }
      scope = withFunction(scope, argument)
      if (isVariable) scope = withVariables(scope, new Map([[name, this.#read(argument.words, this.#scope, sight)]]))
    }
    const out = this.#read(closure.words, scope, sight)
    this.#depth--
    return out
  }

  /** `getpath(["a", "b"])` is `.a.b`; any other list is computed. */
  #getPath(words: readonly Token[], sight: Sight): Sight {
    const steps = writtenList(words)
    if (steps)
      return steps.reduce((out, step) => (step.kind === 'text' ? this.#member(out, step) : elementOf(out)), sight)
    this.#read(words, this.#scope, sight)
    return undefined
  }

  /** Behind `as`: the scope in which the variables of the pattern are parts of what is taken apart. */
  #bound(sight: Sight): Scope {
    const variables = readPattern(this.#words, sight, (...member) => this.#member(...member))
    return withVariables(this.#scope, variables)
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
      else if (kind === 'format') this.#formatted(sight)
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
    if (!sight || !('place' in sight)) {
      this.unclear.add(start)
      return undefined
    }
    const place = [...sight.place, text]
    this.uses.push({ path: place, start, end, isShorthand })
    return { place }
  }

  #inner({ inner }: Token, sight: Sight): undefined {
    for (const part of inner) this.#read(part, this.#scope, sight)
  }

  #formatted(sight: Sight): undefined {
    if (this.#words.peek()?.kind === 'text') this.#inner(this.#words.next(), sight)
  }

  #until(closing: string, sight: Sight): Sight {
    const out = this.#pipe(sight)
    this.#words.expect(closing)
    return out
  }
}
