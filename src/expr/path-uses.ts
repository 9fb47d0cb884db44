import type { Token } from './jq-tokens.ts'

/** The value of `.` in a part of a program: a place in the record, a list of such values, or undefined when unknown. */
export type Input = { readonly place: readonly string[] } | { readonly list: Input } | undefined

export function elementOf(input: Input): Input {
  return input && 'list' in input ? input.list : undefined
}

function listOnly(input: Input): Input {
  return input && 'list' in input ? input : undefined
}

/** Reads the next argument with this input, and gives its result. */
type ReadArgument = (input: Input) => Input

type Call = (input: Input, argument: ReadArgument) => Input

const same: Call = (input) => input
const nothing: Call = () => undefined

function onInput(count: number): Call {
  return (input, argument) => {
    for (let at = 0; at < count; at++) argument(input)
    return undefined
  }
}

function byElement(result: (input: Input) => Input): Call {
  return (input, argument) => {
    argument(elementOf(input))
    return result(listOnly(input))
  }
}

const beside: Call = (input, argument) => {
  argument(input)
  return input
}

const second: Call = (input, argument) => {
  argument(input)
  return argument(input)
}

const anyOrAll: Call = (input, argument) => {
  argument(argument(input))
  return undefined
}

/** `sub(re; text)`: the input of the text is what the pattern captured. */
const replace: Call = (input, argument) => {
  argument(input)
  argument(undefined)
  return undefined
}

/** Functions whose arguments jq 1.8 evaluates on the same input, and whose result is a new value. */
const ON_INPUT: readonly string[] = [
  ...['test/1', 'test/2', 'startswith/1', 'endswith/1', 'contains/1', 'inside/1', 'has/1', 'in/1', 'IN/1', 'IN/2'],
  ...['split/1', 'split/2', 'join/1', 'ltrimstr/1', 'rtrimstr/1', 'index/1', 'rindex/1', 'indices/1', 'match/1'],
  ...['match/2', 'capture/1', 'scan/1', 'range/1', 'range/2', 'error/1', 'isempty/1', 'pick/1', 'older_than/1'],
  ...['strptime/1', 'strftime/1', 'pow/2', 'path/1', 'splits/1', 'capture/2', 'range/3', 'halt_error/1'],
]

const SAME: readonly string[] = [
  ...['values/0', 'nulls/0', 'booleans/0', 'numbers/0', 'strings/0', 'arrays/0', 'objects/0', 'iterables/0'],
  ...['scalars/0', 'debug/0'],
]

/** Functions of jq 1.8 by name and number of arguments; the result of any other is unknown. */
const CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ...ON_INPUT.map((name): [string, Call] => [name, onInput(Number(name.split('/')[1]))]),
  ...SAME.map((name): [string, Call] => [name, same]),
  ['select/1', beside],
  ['debug/1', beside],
  ['map/1', (input, argument) => listOf(argument(elementOf(input)), input)],
  ['any/1', byElement(() => undefined)],
  ['all/1', byElement(() => undefined)],
  ['any/2', anyOrAll],
  ['all/2', anyOrAll],
  ['sort_by/1', byElement((list) => list)],
  ['unique_by/1', byElement((list) => list)],
  ['group_by/1', byElement((list) => list && { list })],
  ['min_by/1', byElement(elementOf)],
  ['max_by/1', byElement(elementOf)],
  ['first/0', elementOf],
  ['last/0', elementOf],
  ['reverse/0', listOnly],
  ['sort/0', listOnly],
  ['unique/0', listOnly],
  ['first/1', (input, argument) => argument(input)],
  ['last/1', (input, argument) => argument(input)],
  ['limit/2', second],
  ['nth/2', second],
  ['sub/2', replace],
  ['gsub/2', replace],
])

function listOf(item: Input, input: Input): Input {
  return item && listOnly(input) ? { list: item } : undefined
}

export function callOf(name: string, count: number): Call {
  return CALLS.get(`${name}/${count}`) ?? nothing
}

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
