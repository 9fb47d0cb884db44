export interface Row {
  readonly what: string
  readonly measured: string
  readonly peer: string
  /** Measured over peer. */
  readonly ratio: number
  /** What the ratio is held to; undefined where it only informs. */
  readonly goal: { readonly atLeast: number } | { readonly atMost: number } | undefined
}

/** One line a claim; a goal that is missed says so. */
export function tableText(rows: readonly Row[]): string {
  const cells = rows.map(({ what, measured, peer, ratio, goal }) => [
    what,
    measured,
    peer,
    ratio.toFixed(2),
    goalText(ratio, goal),
  ])
  const head = ['what', 'crm', 'beside', 'ratio', 'goal']
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)))
  return [head, ...cells]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function goalText(ratio: number, goal: Row['goal']): string {
  if (!goal) return ''
  const isMet = 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
  const bound = 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`
  return isMet ? bound : `${bound}  MISSED`
}
