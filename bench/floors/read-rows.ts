import { openRows } from '../../src/jobs/input/open-rows.ts'

/** Reads all rows of a file as an import does, in a separate process; prints the same as the peers in parse-file.mjs. */
const [path = ''] = process.argv.slice(2)
const startedMs = performance.now()
const source = await openRows({
  path,
  name: path,
  kind: 'contact',
  format: undefined,
  sheet: undefined,
  encoding: undefined,
  delimiter: undefined,
  quote: undefined,
  map: [],
  nullToken: undefined,
  compute: [],
  isCsvSafe: false,
  isTrimmed: false,
  decimal: undefined,
  dateOrder: undefined,
  required: [],
  stages: undefined,
  signal: new AbortController().signal,
  note: () => {},
  nowMs: 0,
})
let count = 0
for await (const rows of source.rows()) count += rows.length
console.log(JSON.stringify({ count, tookMs: performance.now() - startedMs, peakKib: process.resourceUsage().maxRSS }))
