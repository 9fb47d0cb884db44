import type { Row } from './table.ts'

const WIDTH = 860
const NAMES_WIDTH = 430
const ROW_HEIGHT = 34
const TOP = 34

/** A bar for the ratio of each row, with a thin one of the run before, and a line where crm equals what it is measured beside. */
export function ratioChart(rows: readonly Row[], before: readonly Row[]): string {
  const ratioBefore = new Map(before.map(({ what, ratio }) => [what, ratio]))
  const largest = Math.max(1, ...rows.map(({ ratio }) => ratio), ...rows.map(({ what }) => ratioBefore.get(what) ?? 0))
  // Logarithmic: a ratio of 0.25 is as far from 1 as 4.
  const least = Math.min(0.5, ...rows.map(({ ratio }) => ratio), ...ratioBefore.values()) / 1.5
  const span = Math.log(largest * 1.3) - Math.log(least)
  const xOf = (ratio: number) => NAMES_WIDTH + ((Math.log(ratio) - Math.log(least)) / span) * (WIDTH - NAMES_WIDTH - 60)
  const bars = rows.flatMap(({ what, ratio }, at) => {
    const y = TOP + at * ROW_HEIGHT
    const old = ratioBefore.get(what)
    return [
      `<text x="${NAMES_WIDTH - 10}" y="${y + 17}" text-anchor="end">${what.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`,
      `<rect x="${NAMES_WIDTH}" y="${y + 4}" width="${(xOf(ratio) - NAMES_WIDTH).toFixed(1)}" height="16" fill="#2f6fb0"/>`,
      `<text x="${(xOf(ratio) + 6).toFixed(1)}" y="${y + 17}">${ratio.toFixed(2)}</text>`,
      ...(old === undefined
        ? []
        : [
            `<rect x="${NAMES_WIDTH}" y="${y + 22}" width="${(xOf(old) - NAMES_WIDTH).toFixed(1)}" height="4" fill="#b9bec4"/>`,
          ]),
    ]
  })
  const height = TOP + rows.length * ROW_HEIGHT + 10
  const one = xOf(1).toFixed(1)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#24292e">
<title>ratios, logarithmic; grey: the run before</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<line x1="${one}" y1="22" x2="${one}" y2="${height - 8}" stroke="#c0392b" stroke-dasharray="4 3"/>
<text x="${one}" y="16" text-anchor="middle" fill="#c0392b">1</text>
${bars.join('\n')}
</svg>
`
}
