import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figures, readFigures } from './kept-figures.ts'
import { ROOT } from './processes.ts'
import { ratioChart } from './ratio-chart.ts'
import type { Row } from './table.ts'

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
