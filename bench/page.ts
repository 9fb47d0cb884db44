import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figures, readFigures } from './kept-figures.ts'
import { ROOT } from './processes.ts'
import type { Row } from './table.ts'

const WIDTH = 860
const NAMES_WIDTH = 430
const ROW_HEIGHT = 34
const TOP = 34

const HEAD = `# Performance

Each figure is of one real run, in turns with the program or the bare server that stands beside it, and counts as a ratio within this run: the machine is
shared, and absolute figures move with its load, which each section states. A load above the number of cores means that other programs took part of
them. \`npm run bench -- --page PART ...\` measures parts, keeps their figures in \`bench/figures.json\` with those of the run before, and writes
this page. A ratio that misses its goal says so. Parts that are not listed here have not been measured for this page.

Two runs under different loads do not compare well: a column "before" of another load says little.

Of times and CPU, a smaller ratio is better; of requests and rows a second, a larger one. In the charts, the line is 1: equal to what stands beside;
grey is the run before.
`

/** Writes docs/performance.md and its charts from the kept figures. */
export function writePage(): void {
  const folder = join(ROOT, 'docs/performance')
  mkdirSync(folder, { recursive: true })
  const sections = Object.entries(readFigures()).flatMap(([part, [last, before]]) => {
    if (!last) return []
    writeFileSync(join(folder, `${part}.svg`), ratioChart(last.rows, before?.rows ?? []))
    return [sectionText(part, last, before)]
  })
  writeFileSync(join(ROOT, 'docs/performance.md'), [HEAD, ...sections].join('\n'))
}

function sectionText(part: string, last: Figures, before: Figures | undefined): string {
  const ratioBefore = new Map(before?.rows.map(({ what, ratio }) => [what, ratio.toFixed(2)]))
  const lines = last.rows.map(({ what, measured, peer, ratio, goal }) => {
    const cells = [what, measured, peer, ratio.toFixed(2), ratioBefore.get(what) ?? '', goalText(ratio, goal)]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return `## ${part}

${runText(last)}${before ? `; before: ${runText(before)}` : ''}.

| what | crm | beside | ratio | before | goal |
|---|---|---|---|---|---|
${lines.join('\n')}

![ratios of ${part}](performance/${part}.svg)
`
}

function runText({ on, commit, node, machine, loadBefore }: Figures): string {
  return `commit ${commit}, ${on}, Node ${node}, ${machine}, load ${loadBefore}`
}

function goalText(ratio: number, goal: Row['goal']): string {
  if (!goal) return ''
  if ('atLeast' in goal) return `at least ${goal.atLeast}${ratio >= goal.atLeast ? '' : ', missed'}`
  return `at most ${goal.atMost}${ratio <= goal.atMost ? '' : ', missed'}`
}

/** A bar for the ratio of each row, with a thin one of the run before, and a line where crm equals what it is measured beside. */
function ratioChart(rows: readonly Row[], before: readonly Row[]): string {
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
