import { elementOf, type Sight } from './jq-calls.ts'
import { type Token, UnreadJq } from './jq-tokens.ts'
import type { TokenCursor } from './token-cursor.ts'

type TakeMember = (sight: Sight, token: Token, isShorthand?: boolean) => Sight

/** Behind `as`: what the variables of a pattern are, of what is taken apart. */
export function readPattern(words: TokenCursor, sight: Sight, take: TakeMember): ReadonlyMap<string, Sight> {
  const variables = new Map<string, Sight>()
  const bind = (name: string, seen: Sight): void => {
    variables.set(name, variables.has(name) ? undefined : seen)
  }
  const pattern = (seen: Sight): void => {
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
  const memberPattern = (seen: Sight): void => {
    const token = words.next()
    const { kind, text = '' } = token
    if (kind === 'variable' && !words.is(':')) {
      bind(text, take(seen, token, true))
      return
    }
    if (kind !== 'name' && (kind !== 'text' || token.text === undefined)) throw new UnreadJq()
    const out = take(seen, token)
    words.expect(':')
    pattern(out)
  }
  pattern(sight)
  // Other patterns follow for values that this one does not fit.
  if (words.is('?//')) throw new UnreadJq()
  return variables
}
