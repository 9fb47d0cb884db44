import type { Window } from './cut-records.ts'

export interface Element {
  readonly end: number
  readonly newlines: number
}

/** Between these nothing is decided. */
const MARK = /["\n{}[\],]/g

const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/** To its closing bracket, or for what is no object to the next comma or bracket; undefined when that is not there yet. */
export function elementAt({ units, isLast }: Window, start: number): Element | undefined {
  let depth = 0
  let newlines = 0
  MARK.lastIndex = start
  for (let found = MARK.exec(units); found; found = MARK.exec(units)) {
    const mark = found[0]
    if (mark === '"') {
      MARK.lastIndex = behindText(units, found.index)
      continue
    }
    depth += DEPTHS[mark] ?? 0
    if (mark === '\n') newlines++
    // A closing bracket belongs to the value that it closes; a comma, or the bracket of the list, to none.
    else if (depth <= 0) return { end: mark === ',' || depth < 0 ? found.index : found.index + 1, newlines }
  }
  return isLast ? { end: units.length, newlines } : undefined
}

const TEXT_END = /["\\]/g

function behindText(units: string, open: number): number {
  TEXT_END.lastIndex = open + 1
  for (let found = TEXT_END.exec(units); found; found = TEXT_END.exec(units)) {
    if (found[0] === '"') return found.index + 1
    TEXT_END.lastIndex = found.index + 2
  }
  return units.length
}
