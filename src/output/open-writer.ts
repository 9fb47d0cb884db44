import type { Format } from './format.ts'
import { createIdWriter } from './id-writer.ts'
import { createJsonWriter } from './json-writer.ts'
import { createJsonlWriter } from './jsonl-writer.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'

/** A format is a file of its own and a line here; the larger ones are loaded when they are asked for. */
const OPENERS: Readonly<Record<Format, (out: RecordOutput) => Promise<RecordWriter>>> = {
  table: async (out) => await (await import('./table-writer.ts')).createTableWriter(out),
  json: async () => createJsonWriter(),
  jsonl: async () => createJsonlWriter(),
  csv: async (out) => (await import('./csv-writer.ts')).createCsvWriter(out),
  tsv: async (out) => (await import('./tsv-writer.ts')).createTsvWriter(out),
  yaml: async () => (await import('./yaml-writer.ts')).createYamlWriter(),
  id: async () => createIdWriter(),
}

export async function openWriter(out: RecordOutput): Promise<RecordWriter> {
  return await OPENERS[out.format](out)
}
