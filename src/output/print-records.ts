import { CrmError } from '../core/errors.ts'
import type { JsonValue } from '../core/json.ts'
import { idOnLine, RECORD_ID_NAMES } from '../core/record-ids.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { writeText } from '../core/streams.ts'
import type { Query } from '../expr/expression.ts'
import type { Format, FormatWriter, RecordOutput } from './record-output.ts'
import { type FieldPath, fieldName, valueAtField } from './record-output.ts'
import { jsonText, linesFor, safeText } from './safe-text.ts'

type Pages = AsyncIterable<readonly CrmRecord[]>

/**
 * Prints rows as pages arrive, and returns their number. A failure before the first page leaves stdout empty; a later one
 * leaves a json document unclosed on purpose, so that a partial list is not mistaken for the whole.
 */
export async function printRecords(out: RecordOutput, pages: Pages): Promise<number> {
  const selection = out.fields && out.format !== 'id' ? createSelection(out.fields) : undefined
  const picked = selection ? pickFrom(pages, selection) : pages
  if (out.query) {
    const count = await printResults(out, out.query, picked)
    await writeNotes(out, [], count > 0 ? selection : undefined)
    return count
  }
  const writer = await openWriter(out)
  const count = await writePages(out, writer, picked)
  await writeNotes(out, writer.notes(), count > 0 ? selection : undefined)
  return count
}

async function writePages({ io: { stdout } }: RecordOutput, writer: FormatWriter, pages: Pages): Promise<number> {
  let count = 0
  for await (const page of pages) {
    await writeText(stdout, writer.page(page))
    count += page.length
  }
  await writeText(stdout, writer.end())
  return count
}

async function* pickFrom(pages: Pages, selection: Selection): AsyncGenerator<readonly CrmRecord[]> {
  for await (const page of pages) yield page.map(selection.pick)
}

/** Prints one record: a json object, a jsonl line, an id, a row with its header, or a table of keys and values, never cut. */
export async function printRecord(out: RecordOutput, record: CrmRecord): Promise<void> {
  const { stdout } = out.io
  const selection = out.fields && out.format !== 'id' ? createSelection(out.fields) : undefined
  const picked = selection ? selection.pick(record) : record
  if (out.query) {
    await printWhole(out, out.query, jsonText(picked))
    return writeNotes(out, [], selection)
  }
  const writer = await openWriter({ ...out, isWhole: true })
  await writeText(stdout, writer.single(picked))
  await writeNotes(out, writer.notes(), selection)
}

/**
 * Prints the results of `--jq` for each record as pages arrive (jsonl), or for the whole list (json), which is held in
 * memory until it is complete. Returns the number of records.
 */
async function printResults(
  out: RecordOutput,
  query: Query,
  pages: AsyncIterable<readonly CrmRecord[]>,
): Promise<number> {
  const { stdout } = out.io
  const list: string[] = []
  let count = 0
  for await (const page of pages) {
    count += page.length
    if (out.format === 'json') for (const record of page) list.push(JSON.stringify(record))
    else await writeText(stdout, linesFor(stdout, resultText((await query.each(page)).flat(), 0)))
  }
  if (out.format === 'json') await printWhole(out, query, `[${list.join(',')}]`)
  return count
}

/** Prints the results of `--jq` for one value, given as JSON. */
export async function printWhole(out: RecordOutput, query: Query, json: string): Promise<void> {
  const { stdout } = out.io
  await writeText(stdout, linesFor(stdout, resultText(await query.whole(json), out.format === 'json' ? 2 : 0)))
}

/** Texts unquoted, as gh and `jq -r` do; any other value as JSON. */
function resultText(results: readonly JsonValue[], indent: number): string {
  return results.map((result) => `${typeof result === 'string' ? result : jsonText(result, indent)}\n`).join('')
}

/** Writes notes on the printed records to stderr: omitted columns, and fields that no record has. */
async function writeNotes(
  { io: { stderr }, columns }: Pick<RecordOutput, 'io' | 'columns'>,
  notes: readonly string[],
  selection: Selection | undefined,
): Promise<void> {
  const absent = (selection?.absent() ?? []).map((name) =>
    columns.includes(name) ? `${name} is empty in every record` : `no record has the field ${JSON.stringify(name)}`,
  )
  for (const note of [...notes, ...absent]) await writeText(stderr, `${safeText(note)}\n`)
}

/** Selects the members named by `--fields`. */
interface Selection {
  /** The named members, in that order, under their dotted names; null for an absent one. */
  pick(record: CrmRecord): CrmRecord
  /** Fields that no record so far had. */
  absent(): readonly string[]
}

function createSelection(fields: readonly FieldPath[]): Selection {
  const unseen = new Set(fields)
  return {
    pick(record) {
      for (const path of unseen) if (valueAtField(record, path) !== undefined) unseen.delete(path)
      return Object.fromEntries(fields.map((path) => [fieldName(path), valueAtField(record, path) ?? null]))
    },
    absent: () => [...unseen].map(fieldName),
  }
}

/** Thrown by a write to a pager that the reader has closed. */
export class PagerClosed extends Error {
  override readonly name = 'PagerClosed'
}

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

async function openWriter(out: RecordOutput): Promise<FormatWriter> {
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
