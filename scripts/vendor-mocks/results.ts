import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { shippedNames } from '../../src/api/connectors/shipped.ts'
import { judgeVendor, type Result } from './judge.ts'
import { OPERATIONS } from './operations.ts'
import { VENDORS, type Vendor } from './vendors.ts'

export interface VendorResults {
  readonly vendor: Vendor
  readonly results: readonly Result[]
}

export interface FolderResults {
  readonly judged: readonly VendorResults[]
  /** A sentence for each vendor that was not run. */
  readonly left: readonly string[]
}

/** Every vendor whose documents are in the folder and whose connector is shipped. */
export async function judgeFolder(folder: string): Promise<FolderResults> {
  const judged: VendorResults[] = []
  const left: string[] = []
  for (const vendor of VENDORS) {
    const { connector, documents } = vendor
    const absent = documents.filter(({ file }) => !existsSync(join(folder, file))).map(({ file }) => file)
    if (absent.length > 0) left.push(`${connector}: not run, ${folder} has no ${absent.join(' and no ')}`)
    else if (!shippedNames().includes(connector)) left.push(`${connector}: not run, the connector is not shipped yet`)
    else judged.push({ vendor, results: await judgeVendor(folder, vendor) })
  }
  return { judged, left }
}

export function hasMiss({ judged }: FolderResults): boolean {
  return judged.some(({ results }) => results.some(({ state }) => state === 'miss'))
}

/** In Markdown: operation by document, how many work, and the remarks below. */
export function operationTable({ judged }: FolderResults): string {
  const heads = judged.map(({ vendor }) => vendor.documents.map(({ file }) => file).join(', '))
  const notes = [...new Set(judged.flatMap(({ results }) => results.map(({ note }) => note)))].filter(
    (note) => note !== '',
  )
  const cell = (result: Result | undefined) => {
    const { state, note } = result ?? { state: '', note: '' }
    return note === '' ? state : `${state} [${notes.indexOf(note) + 1}]`
  }
  const rows = OPERATIONS.map(({ name, isOfContract }, at) => [
    isOfContract ? name : `${name} *`,
    ...judged.map(({ results }) => cell(results[at])),
  ])
  const counts = [
    'work, of the nine that the document offers (of all)',
    ...judged.map(({ results }) => worksText(results)),
  ]
  return [
    markdownTable(['operation', ...heads], [...rows, counts]),
    '',
    '\\* beyond the nine of the contract.',
    ...notes.map((text, at) => `[${at + 1}] ${text}.`),
  ].join('\n')
}

function worksText(results: readonly Result[]): string {
  const counted = (some: readonly Result[]) => {
    const offered = some.filter(({ state }) => state !== 'not offered')
    return `${offered.filter(({ state }) => state === 'ok').length} of ${offered.length}`
  }
  return `${counted(results.filter(({ isOfContract }) => isOfContract))} (${counted(results)})`
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
