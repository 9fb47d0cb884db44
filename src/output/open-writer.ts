import { CrmError } from '../core/errors.ts'
import { idOnLine, RECORD_ID_NAMES } from '../core/record-ids.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { Format, FormatWriter, RecordOutput } from './record-output.ts'
import { jsonText } from './value-text.ts'

/** A format is a file of its own and a line here; the larger ones are loaded when they are asked for. */
const OPENERS: Readonly<Record<Format, (out: RecordOutput) => Promise<FormatWriter>>> = {
  table: async (out) => await (await import('./table-writer.ts')).createTableWriter(out),
  json: async () => createJsonWriter(),
  jsonl: async () => createJsonlWriter(),
  csv: async (out) => (await import('./delimited-writer.ts')).createCsvWriter(out),
  tsv: async (out) => (await import('./delimited-writer.ts')).createTsvWriter(out),
  yaml: async () => (await import('./yaml-writer.ts')).createYamlWriter(),
  id: async () => createIdWriter(),
}

export async function openWriter(out: RecordOutput): Promise<FormatWriter> {
  return await OPENERS[out.format](out)
}

function createJsonlWriter(): FormatWriter {
  const line = (record: CrmRecord): string => `${jsonText(record)}\n`
  return { page: (records) => records.map(line).join(''), end: () => '', single: line, notes: () => [] }
}

/** One id per line, for commands that read ids with `-`. */
function createIdWriter(): FormatWriter {
  return { page: (records) => records.map(idLine).join(''), end: () => '', single: idLine, notes: () => [] }
}

function idLine(record: CrmRecord): string {
  const text = idOnLine(record.id)
  if (text === undefined) {
    const other = RECORD_ID_NAMES.find((name) => Object.hasOwn(record, name) && idOnLine(record[name]) !== undefined)
    const but = other === undefined ? '' : `, but ${other}`
    throw new CrmError(
      'bad_answer',
      `a record has no id that fits on one line${but}: ${jsonText(record).slice(0, 200)}`,
      {
        hint: other === undefined ? 'show whole records: -o jsonl' : `print ${other}: -o jsonl --jq '.["${other}"]'`,
      },
    )
  }
  return `${text}\n`
}

/** One document for any number of pages: opened with the first record, closed at the end. */
function createJsonWriter(): FormatWriter {
  let isOpen = false
  const item = (record: CrmRecord): string => `  ${jsonText(record, 2).replaceAll('\n', '\n  ')}`
  return {
    page(records) {
      if (records.length === 0) return ''
      const opening = isOpen ? ',\n' : '[\n'
      isOpen = true
      return opening + records.map(item).join(',\n')
    },
    end: () => (isOpen ? '\n]\n' : '[]\n'),
    single: (record) => `${jsonText(record, 2)}\n`,
    notes: () => [],
  }
}
