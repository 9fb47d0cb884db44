import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { renamePath } from '../../files/replace-file.ts'
import { defuse, safeText } from '../../output/safe-text.ts'
import { FAILED_MEMBER, FAILED_PREFIX } from './columns.ts'
import { cutCells } from './read-delimited.ts'
import type { FormatSummary, InputBytes } from './row.ts'

const FAILURE_COLUMNS: FailureCells = [
  `${FAILED_PREFIX}line`,
  `${FAILED_PREFIX}code`,
  `${FAILED_PREFIX}field`,
  `${FAILED_PREFIX}reason`,
]

export interface RowError {
  readonly code: string
  readonly field: string | undefined
  readonly reason: string
}

/** The failed rows as they are in the input, with the reasons. The corrected file can be imported directly. */
export interface FailedRows {
  add(row: InputBytes, failure: RowError): Promise<void>
  close(): Promise<void>
}

export interface FailedRowsOptions {
  readonly summary: FormatSummary
  /** Undefined for an input without one. */
  readonly header: Uint8Array | undefined
  /** Replaced if it exists. */
  readonly to: string
}

const FLUSH_CHARS = 64 * 1024

/** csv and tsv keep their format; a sheet becomes csv; json and yaml become jsonl, to which rows can be appended. */
export function failedRowsName({ format }: FormatSummary): string {
  if (format === 'xlsx') return 'failed.csv'
  return `failed.${format === 'csv' || format === 'tsv' ? format : 'jsonl'}`
}

/** In UTF-8; with a byte order mark if the input had one, or was in another encoding. */
export async function createFailedRows({ summary, header, to }: FailedRowsOptions): Promise<FailedRows> {
  // Under its name only when it is whole: a file of --rejects is compared with it. Two may be written at once.
  const part = `${to}.${randomUUID()}.part`
  const refuse = (error: unknown): never => {
    throw toMachineError(error, part)
  }
  const target = await open(part, 'w', 0o600).catch(refuse)
  let waiting = summary.hasBom || summary.encoding !== 'utf-8' ? '\ufeff' : ''
  const push = async (row: Uint8Array, cells: FailureCells): Promise<void> => {
    const text = Buffer.from(row).toString()
    const line = summary.head ? failedLine(text, cells, summary) : failedObject(await jsonOf(text, summary), cells)
    waiting += `${line}${summary.lineEnd ?? '\n'}`
  }
  const flush = async (): Promise<void> => {
    const text = waiting
    waiting = ''
    await target.writeFile(text).catch(refuse)
  }
  if (header) await push(header, FAILURE_COLUMNS)
  return {
    async add({ line, bytes }, { code, field = '', reason }) {
      await push(bytes, [String(line), code, field, reason])
      if (waiting.length > FLUSH_CHARS) await flush()
    },
    async close() {
      await flush()
      await target.sync()
      await target.close()
      await renamePath(part, to)
    },
  }
}

async function jsonOf(text: string, { format }: FormatSummary): Promise<string> {
  return format === 'yaml' ? (await import('./read-yaml.ts')).yamlToJson(text) : text
}

/** The cells that crm puts before those of a failed row: behind them, a row that is too short would shift them. */
type FailureCells = readonly [line: string, code: string, field: string, reason: string]

/**
 * The added cells, then those of the input without those of an earlier failed-rows file. A row that is shorter than
 * the header row is filled up, so that a spreadsheet and a person see which cell belongs to which column.
 */
function failedLine(text: string, added: FailureCells, summary: FormatSummary): string {
  const { columns, delimiter = ',', quote } = summary
  const { cells } = cutCells(text, { delimiter, quote })
  const whole = [...cells, ...Array<string>(Math.max(0, columns.length - cells.length)).fill('')]
  const own = whole.filter((_, at) => !columns[at]?.name.startsWith(FAILED_PREFIX))
  return [...added.map((each) => cellText(each, summary)), ...own].join(delimiter)
}

/** One line, without a formula that a spreadsheet would run: reasons contain text from a server. */
function cellText(text: string, { format, delimiter = ',', quote }: FormatSummary): string {
  const shown = defuse(safeText(text))
  if (format === 'tsv') return shown.replaceAll('\\', '\\\\')
  if (!shown.includes(delimiter) && (quote === undefined || !shown.includes(quote))) return shown
  return quote === undefined
    ? shown.replaceAll(delimiter, ' ')
    : `${quote}${shown.replaceAll(quote, quote + quote)}${quote}`
}

/** The object of the input on one line, with the failure as its last member. */
function failedObject(json: string, [line, code, field, reason]: FailureCells): string {
  const failure = JSON.stringify({ line: Number(line), code, field: field === '' ? null : field, reason })
  const own = withoutFailure(json.replace(/\s*[\r\n]\s*/g, ' ').trim())
  const body = own.slice(0, -1).trimEnd()
  return `${body}${body === '{' ? '' : ','}"${FAILED_MEMBER}":${failure}}`
}

/** Removes the failure that an earlier failed-rows file added. */
function withoutFailure(json: string): string {
  if (!json.includes(`"${FAILED_MEMBER}"`)) return json
  const value = parseExactJson(json)
  if (!isJsonObject(value) || !Object.hasOwn(value, FAILED_MEMBER)) return json
  const { [FAILED_MEMBER]: _, ...own } = value as JsonObject
  return JSON.stringify(own)
}
