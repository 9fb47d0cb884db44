import { cpus } from 'node:os'
import { measureBrowse } from './browse.ts'
import { measureBrowseEvents } from './browse-events.ts'
import { measureFrames } from './browse-frames.ts'
import { measureMillion } from './browse-million.ts'
import { measureBrowseSend } from './browse-send.ts'
import { measureConnectorMap } from './connector-map.ts'
import { measureCopy } from './copy.ts'
import { measureDelivery } from './delivery.ts'
import { measureDuplicates } from './duplicates.ts'
import { measureExport } from './export.ts'
import { measureGraphql } from './graphql.ts'
import { measureHistory } from './history.ts'
import { measureImport } from './import.ts'
import { currentLoad, keepFigures } from './kept-figures.ts'
import { measureLarge } from './large.ts'
import { measureListen, measureListenMemory } from './listen.ts'
import { measureListenBurst } from './listen-burst.ts'
import { measureMemory } from './memory.ts'
import { measureMetrics } from './metrics.ts'
import { measurePace } from './pace.ts'
import { writePage } from './page.ts'
import { measurePeers } from './peers.ts'
import { measurePlan } from './plan.ts'
import { measurePostgres } from './postgres.ts'
import { measureReaders } from './readers.ts'
import { measureResume } from './resume.ts'
import { measureRetention } from './retention.ts'
import { measureSandbox } from './sandbox.ts'
import { measureStartUp } from './start-up.ts'
import { type Row, tableText } from './table.ts'
import { measureThroughput } from './throughput.ts'
import { measureWorkbook } from './workbook.ts'

/**
 * `npm run bench [part ...]`: every speed claim with its peer or floor in the same run, and whether the goal is met. With `--page` the figures
 * are kept, and docs/performance.md is written from them.
 */
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  'start-up': measureStartUp,
  sandbox: measureSandbox,
  throughput: measureThroughput,
  metrics: measureMetrics,
  postgres: measurePostgres,
  retention: measureRetention,
  history: measureHistory,
  copy: measureCopy,
  browse: measureBrowse,
  'browse-frames': measureFrames,
  'browse-million': measureMillion,
  'browse-events': measureBrowseEvents,
  'browse-send': measureBrowseSend,
  graphql: measureGraphql,
  'connector-map': () => measureConnectorMap(100_000),
  delivery: measureDelivery,
  duplicates: () => measureDuplicates(100_000),
  export: () => measureExport(100_000),
  'export-million': () => measureExport(1_000_000),
  large: measureLarge,
  listen: measureListen,
  'listen-burst': measureListenBurst,
  'listen-million': () => measureListenMemory(1_000_000),
  readers: () => measureReaders(1_000_000),
  import: measureImport,
  memory: measureMemory,
  resume: measureResume,
  plan: measurePlan,
  workbook: measureWorkbook,
  pace: measurePace,
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
