import { type Token, type TokenCursor, UnreadJq } from './jq-tokens.ts'
import { elementOf, type Input, type PathUses } from './path-uses.ts'

/** A function defined by the program, or an argument of one. Its body is read again at each call. */
export interface Closure {
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly isVariable: boolean }[]
  readonly words: readonly Token[]
  /** The scope of its definition. */
  readonly scope: Scope
  /** Whether its body can call it. */
  readonly isRecursive: boolean
}

/** The functions and variables at one place of a program. */
export interface Scope {
  /** By name and number of arguments, `f/1`. */
  readonly functions: ReadonlyMap<string, Closure>
  readonly variables: ReadonlyMap<string, Input>
}

export const EMPTY_SCOPE: Scope = { functions: new Map(), variables: new Map() }

export function closureIn({ functions }: Scope, name: string, count: number): Closure | undefined {
  return functions.get(`${name}/${count}`)
}

export function withFunction({ functions, variables }: Scope, closure: Closure): Scope {
  const { name, parameters } = closure
  return { functions: new Map([...functions, [`${name}/${parameters.length}`, closure]]), variables }
}

export function withVariables({ functions, variables }: Scope, more: ReadonlyMap<string, Input>): Scope {
  return { functions, variables: new Map([...variables, ...more]) }
}

/** After `def`: the scope of what follows the definition. */
export function readDefinition(words: TokenCursor, scope: Scope): Scope {
  const { text: name = '' } = words.next()
  const parameters: { name: string; isVariable: boolean }[] = []
  while (!words.take(':')) {
    const { kind, text = '' } = words.next()
    if (kind !== 'mark') parameters.push({ name: text, isVariable: kind === 'variable' })
  }
  return withFunction(scope, { name, parameters, words: words.part(), scope, isRecursive: true })
}

/** After `as`: the values of the variables of a pattern. */
export function readPattern(words: TokenCursor, input: Input, uses: PathUses): ReadonlyMap<string, Input> {
  const variables = new Map<string, Input>()
  const bind = (name: string, seen: Input): void => {
    variables.set(name, variables.has(name) ? undefined : seen)
  }
  const pattern = (seen: Input): void => {
    const { kind, text = '' } = words.next()
    if (kind === 'variable') bind(text, seen)
    else if (kind === 'mark' && text === '[') parts(']', () => pattern(elementOf(seen)))
    else if (kind === 'mark' && text === '{') parts('}', () => memberPattern(seen))
    else throw new UnreadJq()
  }
  const parts = (closing: string, part: () => void): void => {
    do part()
    while (words.take(','))
    words.expect(closing)
  }
  const memberPattern = (seen: Input): void => {
    const token = words.next()
    const { kind, text = '' } = token
    if (kind === 'variable' && !words.is(':')) {
      bind(text, uses.member(seen, token, true))
      return
    }
    if (kind !== 'name' && (kind !== 'text' || token.text === undefined)) throw new UnreadJq()
    const out = uses.member(seen, token)
    words.expect(':')
    pattern(out)
  }
  pattern(input)
  // Alternative patterns, for values that this one does not match.
  if (words.is('?//')) throw new UnreadJq()
  return variables
}
