import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './processes.ts'
import type { Row } from './table.ts'

/** One measurement of a part, as it was printed. */
export interface Figures {
  /** The day, in UTC. */
  readonly on: string
  readonly commit: string
  readonly node: string
  readonly machine: string
  /** Of the last minute, when the part began: above the number of cores, other programs took part of them. */
  readonly loadBefore: number
  readonly rows: readonly Row[]
}

/** The newest first. */
export type FiguresByPart = Readonly<Record<string, readonly Figures[]>>

const FILE = join(ROOT, 'bench/figures.json')

/** The last run and the one before it. */
const KEPT_RUNS = 2

export function readFigures(): FiguresByPart {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
}

export function keepFigures(part: string, rows: readonly Row[], loadBefore: number): void {
  const all = readFigures()
  const now: Figures = {
    on: new Date().toISOString().slice(0, 10),
    commit: spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim(),
    node: process.version,
    machine: `${cpus().length} cores of ${cpus()[0]?.model.trim()}`,
    loadBefore,
    rows,
  }
  const runs = [now, ...(all[part] ?? [])].slice(0, KEPT_RUNS)
  writeFileSync(FILE, figuresText({ ...all, [part]: runs }))
}

/** JSON with a line for each row. */
function figuresText(all: FiguresByPart): string {
  const runText = ({ rows, ...run }: Figures) =>
    `${JSON.stringify(run).slice(0, -1)},"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}]}`
  const parts = Object.entries(all).map(
    ([part, runs]) => `${JSON.stringify(part)}:[\n${runs.map(runText).join(',\n')}]`,
  )
  return `{${parts.join(',\n')}}\n`
}

export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10
}
