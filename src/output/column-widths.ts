/** The widths that a column needs. */
export interface ColumnNeed {
  /** Widest cell or header, in terminal columns. */
  readonly width: number
  /** The least useful width; at most `width`. */
  readonly floor: number
}

/**
 * Widths that fit `available` with `gap` between columns: the widest columns shrink first, none below its floor. When the
 * floors do not fit, columns are omitted from the right, and the result is shorter. The first column is always kept.
 */
export function fitColumns(needs: readonly ColumnNeed[], available: number, gap: number): readonly number[] {
  const shown = [...needs]
  const room = (): number => available - gap * (shown.length - 1)
  while (shown.length > 1 && sum(shown.map(({ floor }) => floor)) > room()) shown.pop()
  const [first] = shown
  if (!first || shown.length === 1) return shown.map(({ width }) => Math.max(1, Math.min(width, available)))
  // The cap, which a column exceeds only by its floor; it is at most the width of a terminal, so counting down is fast enough.
  let cap = Math.min(available, Math.max(...shown.map(({ width }) => width)))
  const capped = (): number[] => shown.map(({ width, floor }) => Math.max(floor, Math.min(width, cap)))
  while (sum(capped()) > room()) cap -= 1
  return spread(capped(), shown, room())
}

/** Distributes the remaining width to the columns that were cut, from the left. */
function spread(widths: readonly number[], needs: readonly ColumnNeed[], room: number): readonly number[] {
  let spare = room - sum(widths)
  return widths.map((width, index) => {
    if (spare <= 0 || width >= (needs[index]?.width ?? 0)) return width
    spare -= 1
    return width + 1
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
