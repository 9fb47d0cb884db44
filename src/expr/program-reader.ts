import {
  type Closure,
  closureIn,
  EMPTY_SCOPE,
  readDefinition,
  readPattern,
  type Scope,
  withFunction,
  withVariables,
} from './jq-scope.ts'
import { type Token, TokenCursor, UnreadJq } from './jq-tokens.ts'
import { Comparisons, literalKind, type Operand } from './ordered-comparisons.ts'
import { callOf, elementOf, type Input, PathUses, writtenAlone, writtenList } from './path-uses.ts'

const OPERATORS: readonly string[] = ['//', '==', '!=', '<=', '>=', '<', '>', '+', '-', '*', '/', '%', 'and', 'or', ',']
const ASSIGNMENTS: readonly string[] = ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=']
const KEYWORDS: readonly string[] = [
  ...['and', 'or', 'then', 'elif', 'else', 'end', 'as', 'catch', 'import', 'include', 'module', '__loc__'],
]
/** A function is read again for each call, so recursion needs a limit. */
const MOST_CALLS = 500
const DEEPEST_CALL = 20

/** Reads a program by the grammar of jq 1.8.2, as far as it determines the input of each part. */
export class ProgramReader {
  readonly uses = new PathUses()
  readonly comparisons = new Comparisons()
  /** Literal arguments of `older_than`. */
  readonly durations: string[] = []
  readonly #words: TokenCursor
  #scope: Scope = EMPTY_SCOPE
  #calls = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#words = new TokenCursor(tokens)
  }

  program(input: Input): void {
    this.#pipe(input)
    this.#words.expectEnd()
  }

  #pipe(input: Input): Input {
    if (this.#words.take('def')) return this.#within(readDefinition(this.#words, this.#scope), () => this.#pipe(input))
    const out = this.#operands(input)
    return this.#words.take('|') ? this.#pipe(out) : out
  }

  #within(scope: Scope, read: () => Input): Input {
    const outer = this.#scope
    this.#scope = scope
    const out = read()
    this.#scope = outer
    return out
  }

  #read(words: readonly Token[], scope: Scope, input: Input): Input {
    return this.#words.within(words, () => this.#within(scope, () => this.#pipe(input)))
  }

  /** All operands have the same input, so precedence does not matter for them. */
  #operands(input: Input): Input {
    const before = this.uses.count
    let seen = input
    let out = this.#operand(seen)
    const operands = [out]
    const operators: string[] = []
    for (;;) {
      const operator = this.#operator()
      if (operator === undefined) return this.comparisons.inOperands(operands, operators)
      operators.push(operator)
      if (ASSIGNMENTS.includes(operator)) {
        // The assigned value may have another input.
        seen = undefined
        this.uses.dropSince(before)
      }
      // Where the body of `try` ends is not determined here.
      if (out.isTry) seen = undefined
      out = this.#operand(seen)
      operands.push(out)
    }
  }

  #operator(): string | undefined {
    const { kind, text = '' } = this.#words.peek() ?? {}
    if (kind !== 'mark' && kind !== 'name') return undefined
    if (!OPERATORS.includes(text) && !ASSIGNMENTS.includes(text)) return undefined
    this.#words.next()
    return text
  }

  #operand(input: Input): Operand {
    const from = this.#words.peek()
    const isNegated = this.#words.take('-')
    const first = this.#words.peek()
    const isTry = this.#words.is('try')
    let out = this.#term(input)
    if (this.#words.take('as')) {
      const scope = this.#bound(out)
      this.#words.expect('|')
      out = this.#within(scope, () => this.#pipe(input))
    }
    const last = this.#words.peek(-1)
    const literal = first === last && first ? literalKind(first) : undefined
    return { input: isNegated ? undefined : out, isTry, start: from?.start ?? 0, end: last?.end ?? 0, literal }
  }

  #term(input: Input): Input {
    let out = this.#head(input)
    for (;;) {
      const token = this.#words.peek()
      if (token?.kind === 'field') out = this.uses.member(out, this.#words.next())
      else if (this.#words.is('.') && this.#words.peek(1)?.kind === 'text') {
        this.#words.next()
        out = this.#textMember(out, input)
      } else if (this.#words.is('.') && this.#words.is('[', 1)) this.#words.next()
      else if (this.#words.take('[')) out = this.#index(out, input)
      else if (!this.#words.take('?')) return out
    }
  }

  #head(input: Input): Input {
    const token = this.#words.next()
    const { kind, text } = token
    if (kind === 'field') return this.uses.member(input, token)
    if (kind === 'text') return this.#inner(token, input)
    if (kind === 'format') return this.#formatted(input)
    if (kind === 'name') return this.#word(text ?? '', input)
    if (kind === 'variable') return this.#scope.variables.get(text ?? '')
    if (kind === 'number' || text === '..') return undefined
    if (text === '.') return this.#words.peek()?.kind === 'text' ? this.#textMember(input, input) : input
    if (text === '(') return this.#until(')', input)
    if (text === '[') return this.#list(input)
    if (text === '{') return this.#object(input)
    throw new UnreadJq()
  }

  #word(word: string, input: Input): Input {
    if (KEYWORDS.includes(word)) throw new UnreadJq()
    if (word === 'if') return this.#condition(input)
    if (word === 'try') {
      this.#term(input)
      if (this.#words.take('catch')) this.#term(undefined)
      return undefined
    }
    if (word === 'reduce' || word === 'foreach') {
      const item = this.#term(input)
      this.#words.expect('as')
      const scope = this.#bound(item)
      this.#words.expect('(')
      const [first = [], ...others] = this.#words.parts()
      this.#read(first, this.#scope, input)
      for (const words of others) this.#read(words, scope, undefined)
      return undefined
    }
    if (word === 'label') {
      this.#words.next()
      this.#words.expect('|')
      return this.#pipe(input)
    }
    if (word === 'break') return void this.#words.next()
    if (word === 'def') return this.#within(readDefinition(this.#words, this.#scope), () => this.#pipe(input))
    return this.#call(word, input)
  }

  #condition(input: Input): Input {
    do {
      this.#pipe(input)
      this.#words.expect('then')
      this.#pipe(input)
    } while (this.#words.take('elif'))
    if (this.#words.take('else')) this.#pipe(input)
    this.#words.expect('end')
    return undefined
  }

  #call(name: string, input: Input): Input {
    const given = this.#words.take('(') ? this.#words.parts() : []
    const closure = closureIn(this.#scope, name, given.length)
    if (closure) return this.#enter(closure, given, input)
    const [only] = given
    if (name === 'older_than' && only) this.durations.push(...writtenAlone(only))
    if (name === 'getpath' && only) return this.#getPath(only, input)
    const scope = this.#scope
    let read = 0
    const argument = (seen: Input): Input => this.#read(given[read++] ?? [], scope, seen)
    const out = callOf(name, given.length)(input, argument)
    // The input of the arguments of other functions is unknown.
    while (read < given.length) argument(undefined)
    return out
  }

  /** Reads a call of a function that the program defines. */
  #enter(closure: Closure, given: readonly (readonly Token[])[], input: Input): Input {
    if (++this.#calls > MOST_CALLS || ++this.#depth > DEEPEST_CALL) throw new UnreadJq()
    let scope = closure.isRecursive ? withFunction(closure.scope, closure) : closure.scope
    for (const [at, { name, isVariable }] of closure.parameters.entries()) {
      const argument = { name, parameters: [], words: given[at] ?? [], scope: this.#scope, isRecursive: false }
      scope = withFunction(scope, argument)
      if (isVariable) scope = withVariables(scope, new Map([[name, this.#read(argument.words, this.#scope, input)]]))
    }
    const out = this.#read(closure.words, scope, input)
    this.#depth--
    return out
  }

  /** `getpath(["a", "b"])` is `.a.b`; the result of a computed path is unknown. */
  #getPath(words: readonly Token[], input: Input): Input {
    const steps = writtenList(words)
    if (steps)
      return steps.reduce((out, step) => (step.kind === 'text' ? this.uses.member(out, step) : elementOf(out)), input)
    this.#read(words, this.#scope, input)
    return undefined
  }

  /** After `as`: the scope with the variables of the pattern. */
  #bound(input: Input): Scope {
    const variables = readPattern(this.#words, input, this.uses)
    return withVariables(this.#scope, variables)
  }

  #list(input: Input): Input {
    if (this.#words.take(']')) return undefined
    const list = this.#until(']', input)
    return list && { list }
  }

  /** `.[]`, `.[0]`, `.["name"]`, `.[2:5]`: the input inside the brackets is that of the whole term. */
  #index(out: Input, input: Input): Input {
    if (this.#words.take(']')) return elementOf(out)
    const token = this.#words.peek()
    if (this.#words.is(']', 1) && token?.kind === 'text') {
      const member = this.#textMember(out, input)
      this.#words.expect(']')
      return member
    }
    const isNumber = token?.kind === 'number' && this.#words.is(']', 1)
    if (!this.#words.is(':')) this.#pipe(input)
    const isSlice = this.#words.take(':')
    if (isSlice && !this.#words.is(']')) this.#pipe(input)
    this.#words.expect(']')
    if (isSlice) return out && 'list' in out ? out : undefined
    return isNumber ? elementOf(out) : undefined
  }

  #object(input: Input): undefined {
    while (!this.#words.take('}')) {
      const token = this.#words.next()
      const { kind, text } = token
      const isComputed = kind === 'mark'
      if (isComputed && text !== '(') throw new UnreadJq()
      if (isComputed) this.#until(')', input)
      else if (kind === 'format') this.#formatted(input)
      else this.#inner(token, input)
      if (this.#words.take(':')) this.#objectValue(input)
      else if ((kind === 'name' || kind === 'text') && text !== undefined) this.uses.member(input, token, true)
      if (!this.#words.is('}')) this.#words.expect(',')
    }
  }

  #objectValue(input: Input): void {
    this.#words.take('-')
    const out = this.#term(input)
    if (this.#words.take('|')) this.#objectValue(out)
  }

  #textMember(out: Input, input: Input): Input {
    const token = this.#words.next()
    if (token.text === undefined) return this.#inner(token, input)
    return this.uses.member(out, token)
  }

  #inner({ inner }: Token, input: Input): undefined {
    for (const part of inner) this.#read(part, this.#scope, input)
  }

  #formatted(input: Input): undefined {
    if (this.#words.peek()?.kind === 'text') this.#inner(this.#words.next(), input)
  }

  #until(closing: string, input: Input): Input {
    const out = this.#pipe(input)
    this.#words.expect(closing)
    return out
  }
}
