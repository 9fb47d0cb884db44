import type { Cut, Cutter, Window } from './cut-records.ts'
import { inputError } from './input-error.ts'

/** Document markers and directives, at the left margin; they end an item. */
const MARK = /^(?:---|\.\.\.)(?:\s|$)|^%/
const NOTHING = /^\s*(?:#.*)?$/
const ITEM = /^-(?:\s|$)/

/** What a line means at the beginning of the file or of an item. */
type LineKind = 'item' | 'inside' | 'mark' | 'nothing' | 'other'

type Open = { -readonly [Member in keyof Cut]: Cut[Member] }

/** Whether the text is one block list, with `-` at the beginning of lines; only that form can be cut. */
export function isItemList(start: string): boolean {
  const kinds = start.split('\n').map(kindOf)
  return kinds.find((kind) => kind !== 'mark' && kind !== 'nothing') === 'item'
}

function kindOf(text: string): LineKind {
  if (ITEM.test(text)) return 'item'
  if (MARK.test(text)) return 'mark'
  if (NOTHING.test(text)) return 'nothing'
  return /^\s/.test(text) ? 'inside' : 'other'
}

/** The contents of an item are indented (YAML 1.2, 8.2.1), so no part of them looks like the next item. */
export function createYamlItemCutter(name: string, unitBytes: number): Cutter<Cut> {
  let line = 1
  return {
    line: () => line,
    cut: (window) => {
      const { cuts, open, used, linesRead, strayAt } = cutItems(window, line)
      if (strayAt !== undefined) {
        throw inputError({
          name,
          line: line + linesRead,
          offset: window.offset + strayAt * unitBytes,
          what: 'expected an item of the list, which begins with -',
          hint: 'correct it there; the lines of an item are indented',
        })
      }
      line = open?.line ?? line + linesRead
      return { cuts, used: open?.start ?? used }
    },
  }
}

interface Items {
  readonly cuts: readonly Cut[]
  /** The last item, if the next window may continue it. */
  readonly open: Cut | undefined
  readonly used: number
  readonly linesRead: number
  /** The position of text outside the items. */
  readonly strayAt: number | undefined
}

function cutItems({ units, isLast }: Window, firstLine: number): Items {
  const items: Open[] = []
  let isOpen = false
  let used = 0
  let linesRead = 0
  for (const { start, end, next } of linesOf(units, isLast)) {
    const kind = kindOf(units.slice(start, end))
    const last = isOpen ? items.at(-1) : undefined
    if (kind === 'item') items.push({ start, end, line: firstLine + linesRead })
    else if (kind === 'inside' && last) last.end = end
    else if (kind !== 'mark' && kind !== 'nothing') return { ...EMPTY, linesRead, strayAt: start }
    if (kind !== 'nothing') isOpen = kind !== 'mark'
    used = next
    linesRead++
  }
  const open = isOpen && !isLast ? items.pop() : undefined
  return { cuts: items, open, used, linesRead, strayAt: undefined }
}

const EMPTY = { cuts: [], open: undefined, used: 0 }

/** Complete lines; the last line of the input may have no line end. */
function* linesOf(units: string, isLast: boolean): Generator<{ start: number; end: number; next: number }> {
  for (let start = 0; start < units.length; ) {
    const newlineAt = units.indexOf('\n', start)
    if (newlineAt < 0 && !isLast) return
    const end = newlineAt < 0 ? units.length : newlineAt
    const next = Math.min(end + 1, units.length)
    yield { start, end, next }
    start = next
  }
}
