import type { Input } from './jq-calls.ts'
import type { Token } from './jq-tokens.ts'

/** A member that a program reads from the record itself. */
export interface PathUse {
  /** The names of its path, starting at the record. */
  readonly path: readonly string[]
  /** Offsets of the last name in the program; those of `{name}` begin before the name. */
  readonly start: number
  readonly end: number
  readonly isShorthand: boolean
}

/** Collects the members that a program reads from the record. */
export class PathUses {
  #uses: PathUse[] = []
  /** Offsets of names that are also read from another value: in a function that is called on other input, too. */
  readonly #unclear = new Set<number>()

  get count(): number {
    return this.#uses.length
  }

  /** The result of `.name` on this input. */
  member(input: Input, { text = '', start, end }: Token, isShorthand = false): Input {
    if (!input || !('place' in input)) {
      this.#unclear.add(start)
      return undefined
    }
    const place = [...input.place, text]
    this.#uses.push({ path: place, start, end, isShorthand })
    return { place }
  }

  /** Drops the uses since `count`: an assignment may create the member. */
  dropSince(count: number): void {
    for (const { start } of this.#uses.splice(count)) this.#unclear.add(start)
  }

  /** The uses whose names are read from the record only. */
  proven(): readonly PathUse[] {
    return this.#uses.filter(({ start }) => !this.#unclear.has(start))
  }
}

/** The argument when it is a literal string or number; empty for any other. */
export function writtenAlone(words: readonly Token[]): readonly string[] {
  const [only] = words
  return words.length === 1 && only?.text !== undefined && isWritten(only) ? [only.text] : []
}

/** The literals of `["a", 0]`; undefined when any of them is computed. */
export function writtenList(words: readonly Token[]): readonly Token[] | undefined {
  const inner = words.slice(1, -1)
  const isPlain = inner.every((token, at) => (at % 2 === 1 ? isMark(token, ',') : isWritten(token)))
  if (!isMark(words[0], '[') || !isMark(words.at(-1), ']') || !isPlain) return undefined
  return inner.filter((_, at) => at % 2 === 0)
}

function isWritten({ kind, text }: Token): boolean {
  return kind === 'number' || (kind === 'text' && text !== undefined)
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark
}
