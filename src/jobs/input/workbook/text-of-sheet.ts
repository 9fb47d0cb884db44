import { renameSync, rmSync } from 'node:fs'
import { CrmError } from '../../../core/errors.ts'
import { inputName, readHead } from '../input-file.ts'
import type { ReadSheet, RowOptions } from '../row.ts'

export interface SheetRequest {
  /** The spooled input, which becomes the text of a sheet if it is a workbook. */
  readonly path: string
  readonly name: string
  readonly read: Pick<
    RowOptions,
    'format' | 'sheet' | 'map' | 'decimal' | 'encoding' | 'delimiter' | 'quote' | 'isCsvSafe'
  >
  /** The flags may be those of the job that the input corrects, which read text. */
  readonly isRetry: boolean
  readonly signal: AbortSignal
  onBytes(done: number, total: number): void
}

const ZIP = Buffer.from('PK\x03\x04')

/** Replaces a workbook by the text of one of its sheets; undefined for any other input. */
export async function textOfSheet(request: SheetRequest): Promise<ReadSheet | undefined> {
  const { path, name, read } = request
  const isZip = (await readHead(path, ZIP.length)).equals(ZIP)
  if (!isZip || (read.format ?? 'xlsx') !== 'xlsx') {
    refuseAsText(request)
    return undefined
  }
  if (!request.isRetry) refuseTextFlags(name, read)
  const workbook = `${path}.xlsx`
  renameSync(path, workbook)
  try {
    // Loaded only for a workbook.
    const { readWorkbook } = await import('./read-workbook.ts')
    return await readWorkbook({ ...request, path: workbook, to: path, sheet: read.sheet })
  } finally {
    rmSync(workbook, { force: true })
  }
}

function refuseAsText({ name, read: { format, sheet } }: SheetRequest): void {
  const flag = format === 'xlsx' ? '--format xlsx' : sheet === undefined ? undefined : '--sheet'
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} applies to a workbook, and ${inputName(name)} is none`, {
    hint: 'leave it out: the format is detected',
  })
}

function refuseTextFlags(name: string, { encoding, delimiter, quote, isCsvSafe }: SheetRequest['read']): void {
  const given = {
    '--encoding': encoding,
    '--delimiter': delimiter,
    '--quote': quote,
    '--from-csv-safe': isCsvSafe || undefined,
  }
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} applies to text, and ${inputName(name)} is a workbook`, {
    hint: 'leave it out: the cells of a workbook are read as they are',
  })
}
