import type { Cut, Cutter } from './cut-records.ts'

/** A record a line; lines of nothing but white space are passed over. */
export function createLineCutter(): Cutter<Cut> {
  let line = 1
  return {
    line: () => line,
    cut: ({ units, isLast }) => {
      const cuts: Cut[] = []
      let used = 0
      while (used < units.length) {
        const newlineAt = units.indexOf('\n', used)
        if (newlineAt < 0 && !isLast) break
        const end = newlineAt < 0 ? units.length : newlineAt
        const start = used + (units.slice(used, end).length - units.slice(used, end).trimStart().length)
        if (start < end) cuts.push({ start, end: start + units.slice(start, end).trimEnd().length, line })
        line++
        used = newlineAt < 0 ? units.length : newlineAt + 1
      }
      return { cuts, used }
    },
  }
}
