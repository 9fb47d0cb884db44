import { depthChange, type Token, UnreadJq } from './jq-tokens.ts'

/** A position in the tokens of a program. Throws UnreadJq for an unexpected token. */
export class TokenCursor {
  #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead]
  }

  next(): Token {
    const token = this.peek()
    if (!token) throw new UnreadJq()
    this.#at++
    return token
  }

  isWord(ahead = 0): boolean {
    const { kind } = this.peek(ahead) ?? {}
    return kind === 'mark' || kind === 'name'
  }

  is(word: string, ahead = 0): boolean {
    return this.isWord(ahead) && this.peek(ahead)?.text === word
  }

  take(word: string): boolean {
    if (!this.is(word)) return false
    this.#at++
    return true
  }

  expect(word: string): void {
    if (!this.take(word)) throw new UnreadJq()
  }

  expectEnd(): void {
    if (this.#at < this.#tokens.length) throw new UnreadJq()
  }

  /** After an opening bracket: the tokens of each argument. Moves past the closing bracket. */
  parts(): readonly (readonly Token[])[] {
    const parts = [this.part()]
    while (this.#tokens[this.#at - 1]?.text === ';') parts.push(this.part())
    return parts
  }

  /** The tokens up to a semicolon or a closing bracket. Moves past it. */
  part(): readonly Token[] {
    const from = this.#at
    let definitions = 0
    for (let depth = 0; ; ) {
      const { kind, text = '' } = this.next()
      // A nested definition also ends with a semicolon.
      if (kind === 'name' && text === 'def' && depth === 0) definitions++
      if (kind !== 'mark') continue
      depth += depthChange(text)
      const isEnd = depth < 0 || (depth === 0 && text === ';' && definitions-- === 0)
      if (isEnd) return this.#tokens.slice(from, this.#at - 1)
    }
  }

  /** Reads other tokens, and then continues here. */
  within<Out>(tokens: readonly Token[], read: () => Out): Out {
    const [outer, at] = [this.#tokens, this.#at]
    this.#tokens = tokens
    this.#at = 0
    const out = read()
    this.expectEnd()
    this.#tokens = outer
    this.#at = at
    return out
  }
}
