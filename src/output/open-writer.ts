import type { Format } from './format.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'

/** A format is a file of its own and a line here; each is loaded when it is asked for. */
const OPENERS: Readonly<Record<Format, (out: RecordOutput) => Promise<RecordWriter>>> = {
  table: async (out) => await (await import('./table-writer.ts')).createTableWriter(out),
  json: async () => (await import('./json-writer.ts')).createJsonWriter(),
  jsonl: async () => (await import('./jsonl-writer.ts')).createJsonlWriter(),
  csv: async (out) => (await import('./csv-writer.ts')).createCsvWriter(out),
  tsv: async (out) => (await import('./tsv-writer.ts')).createTsvWriter(out),
  yaml: async () => (await import('./yaml-writer.ts')).createYamlWriter(),
  id: async () => (await import('./id-writer.ts')).createIdWriter(),
}

export async function openWriter(out: RecordOutput): Promise<RecordWriter> {
  return await OPENERS[out.format](out)
}
