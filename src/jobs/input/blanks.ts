import type { Blanks } from './row.ts'

/** A file may end in a million of them. */
const MOST_NAMED = 1000

export interface BlankRows extends Blanks {
  add(line: number): void
  clear(): void
}

export function createBlanks(): BlankRows {
  const lines: number[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    lines,
    add(line) {
      count++
      if (lines.length < MOST_NAMED) lines.push(line)
    },
    clear() {
      count = 0
      lines.length = 0
    },
  }
}
