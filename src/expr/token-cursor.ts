import { depthChange, type Token, UnreadJq } from './jq-tokens.ts'

/** Walks over the words of a program. What is not as expected makes it unread. */
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

  /** Over what binds variables. */
  skipUntil(word: string): void {
    for (let depth = 0; ; ) {
      if (depth === 0 && this.take(word)) return
      const { kind, text = '' } = this.next()
      if (text === '?//') throw new UnreadJq()
      if (kind === 'mark') depth += depthChange(text)
    }
  }

  /** Behind an opening bracket: where each argument begins. Stays where it is. */
  argumentStarts(): readonly number[] {
    const from = this.#at
    const starts = [from]
    for (let depth = 1; depth > 0; ) {
      const { kind, text = '' } = this.next()
      // The definition ends in a semicolon of its own.
      if (kind === 'name' && text === 'def') throw new UnreadJq()
      if (kind !== 'mark') continue
      depth += depthChange(text)
      if (text === ';' && depth === 1) starts.push(this.#at)
    }
    this.#at = from
    return starts
  }

  /** Walks over other words in between. */
  within(tokens: readonly Token[], read: () => void): void {
    const [outer, at] = [this.#tokens, this.#at]
    this.#tokens = tokens
    this.#at = 0
    read()
    this.expectEnd()
    this.#tokens = outer
    this.#at = at
  }
}
