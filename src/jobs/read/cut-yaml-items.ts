import type { Cut, Cutter, Window } from './cut-records.ts'
import { inputError } from './input-error.ts'

/** At the very left, outside the items: the marks of a document, which end an item, and what can stand anywhere. */
const MARK = /^(?:---|\.\.\.)(?:\s|$)|^%/
const NOTHING = /^\s*(?:#.*)?$/
const ITEM = /^-(?:\s|$)/

/** What a line at the beginning of the file, or of an item, means. */
type LineKind = 'item' | 'inside' | 'mark' | 'nothing' | 'other'

type Open = { -readonly [Member in keyof Cut]: Cut[Member] }

/** Whether the text is one list, written with a `-` at the beginning of lines: the form that can be cut. */
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

/** Whatever an item holds is indented (YAML 1.2, 8.2.1), so that no part of it can be mistaken for the next one. */
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
          hint: 'correct it there; what belongs to an item is indented',
        })
      }
      line = open?.line ?? line + linesRead
      return { cuts, used: open?.start ?? used }
    },
  }
}

interface Items {
  readonly cuts: readonly Cut[]
  /** The last one, of which more may come. */
  readonly open: Cut | undefined
  readonly used: number
  readonly linesRead: number
  /** Where something stands that has no place there. */
  readonly strayAt: number | undefined
}

function cutItems({ units, isLast }: Window, firstLine: number): Items {
  const items: Open[] = []
  let isOpen = false
  let at = 0
  let linesRead = 0
  while (at < units.length) {
    const newlineAt = units.indexOf('\n', at)
    if (newlineAt < 0 && !isLast) break
    const end = newlineAt < 0 ? units.length : newlineAt
    const kind = kindOf(units.slice(at, end))
    const last = items.at(-1)
    if (kind === 'item') items.push({ start: at, end, line: firstLine + linesRead })
    else if (kind === 'inside' && isOpen && last) last.end = end
    else if (kind === 'inside' || kind === 'other') {
      return { cuts: [], open: undefined, used: at, linesRead, strayAt: at }
    }
    if (kind !== 'nothing') isOpen = kind !== 'mark'
    at = newlineAt < 0 ? units.length : newlineAt + 1
    linesRead++
  }
  const open = isOpen && !isLast ? items.pop() : undefined
  return { cuts: items, open, used: at, linesRead, strayAt: undefined }
}
