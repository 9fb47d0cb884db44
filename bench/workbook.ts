import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bookOf } from '../test/jobs/workbook/workbook-file.ts'
import { benchFolder, CRM, plainEnv, startCrm, watchProcess } from './processes.ts'
import type { Row } from './table.ts'

const COUNT = 100_000
const MOST_MS = 8000
const MOST_MIB = 250

const HEADS = ['name', 'email', 'phone', 'company', 'city', 'source', 'note', 'score', 'member_since']

/** Checks of a workbook of 100,000 rows of nine cells, seven of them shared texts, beside the same rows as csv. */
export async function measureWorkbook(): Promise<Row[]> {
  const folder = benchFolder()
  const [xlsx, csv] = [join(folder, 'people.xlsx'), join(folder, 'people.csv')]
  const rows = [HEADS, ...Array.from({ length: COUNT }, (_, at) => cellsOf(at))]
  writeFileSync(csv, rows.map((cells) => `${cells.join(',')}\n`).join(''))
  writeFileSync(xlsx, bookOf(sheetOf(rows)))
  const server = await startCrm(join(folder, 'crm.db'))
  const env = { ...plainEnv(), HOME: folder, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const check = (file: string) =>
    watchProcess([process.execPath, CRM, 'contacts', 'import', file, '--dry-run', '-q', '-o', 'json'], env)
  const ofCsv = await check(csv)
  const ofXlsx = await check(xlsx)
  await server.stop()
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return [
    {
      what: `check of an xlsx of ${COUNT.toLocaleString('en')} rows`,
      measured: seconds(ofXlsx.tookMs),
      peer: `${MOST_MS / 1000} s (the same rows as csv: ${seconds(ofCsv.tookMs)})`,
      ratio: ofXlsx.tookMs / MOST_MS,
      goal: { atMost: 1 },
    },
    {
      what: 'memory of that check',
      measured: `${ofXlsx.peakMiB.toFixed(0)} MiB`,
      peer: `${MOST_MIB} MiB (csv: ${ofCsv.peakMiB.toFixed(0)} MiB)`,
      ratio: ofXlsx.peakMiB / MOST_MIB,
      goal: { atMost: 1 },
    },
  ]
}

function cellsOf(at: number): readonly string[] {
  const texts = [`Person ${at}`, `p${at}@example.test`, `+49 151 ${at}`, `Company ${at % 977}`, `City ${at % 97}`]
  return [...texts, `Source ${at % 7}`, `Note ${at}`, String(at % 100), '2026-04-03']
}

/** Numbers as numbers, everything else as shared texts, as spreadsheet programs write them. */
function sheetOf(rows: readonly (readonly string[])[]) {
  const places = new Map<string, number>()
  const placeOf = (text: string) => {
    const place = places.get(text) ?? places.size
    places.set(text, place)
    return place
  }
  const cell = (text: string, name: string) =>
    /^\d+$/.test(text) ? `<c r="${name}"><v>${text}</v></c>` : `<c r="${name}" t="s"><v>${placeOf(text)}</v></c>`
  const xml = rows.map((cells, row) => {
    const all = cells.map((text, column) => cell(text, `${'ABCDEFGHI'[column]}${row + 1}`))
    return `<row r="${row + 1}">${all.join('')}</row>`
  })
  return { rows: xml.join(''), shared: [...places.keys()].map((text) => `<si><t>${text}</t></si>`).join('') }
}
