import type { Input } from './jq-calls.ts'
import type { Token } from './jq-tokens.ts'
import type { TokenCursor } from './token-cursor.ts'

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
