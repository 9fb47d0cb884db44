import { elementOf, type Input } from './jq-calls.ts'
import { UnreadJq } from './jq-tokens.ts'
import type { PathUses } from './path-uses.ts'
import type { TokenCursor } from './token-cursor.ts'

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
