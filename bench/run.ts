import { cpus } from 'node:os'
import { measureBrowse } from './browse.ts'
import { measureFrames } from './browse-frames.ts'
import { measureDelivery } from './delivery.ts'
import { measureExport } from './export.ts'
import { measureGraphql } from './graphql.ts'
import { measureImport } from './import.ts'
import { currentLoad, keepFigures } from './kept-figures.ts'
import { measureLarge } from './large.ts'
import { measureListen, measureListenMemory } from './listen.ts'
import { writePage } from './page.ts'
import { measurePeers } from './peers.ts'
import { measurePlan } from './plan.ts'
import { measurePostgres } from './postgres.ts'
import { measureSandbox } from './sandbox.ts'
import { measureStartUp } from './start-up.ts'
import { type Row, tableText } from './table.ts'
import { measureThroughput } from './throughput.ts'

/**
 * `npm run bench [part ...]`: every speed claim with its peer or floor in the same run, and whether the goal is met. With `--page` the figures
 * are kept, and docs/performance.md is written from them.
 */
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  'start-up': measureStartUp,
  sandbox: measureSandbox,
  throughput: measureThroughput,
  postgres: measurePostgres,
  browse: measureBrowse,
  'browse-frames': measureFrames,
  graphql: measureGraphql,
  delivery: measureDelivery,
  export: () => measureExport(100_000),
  'export-million': () => measureExport(1_000_000),
  large: measureLarge,
  listen: measureListen,
  'listen-million': () => measureListenMemory(1_000_000),
  import: measureImport,
  plan: measurePlan,
  peers: measurePeers,
}

const isPage = process.argv.includes('--page')
const asked = process.argv.slice(2).filter((word) => word !== '--page')
const unknown = asked.find((part) => !Object.hasOwn(PARTS, part))
if (unknown !== undefined) throw new Error(`there is no part ${unknown}; expected ${Object.keys(PARTS).join(', ')}`)

const rows: Row[] = []
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  process.stderr.write(`measuring ${name} ...\n`)
  const loadBefore = currentLoad()
  const measured = await measure()
  rows.push(...measured)
  if (isPage) keepFigures(name, measured, loadBefore)
}
console.log(
  `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}); medians, ratios within one run\n`,
)
console.log(tableText(rows))
if (isPage) writePage()
