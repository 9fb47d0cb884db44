import type { CrmRecord } from '../core/resources/registry.ts'
import { writeText } from '../core/streams.ts'
import { jsonText } from './json-text.ts'
import { openWriter } from './open-writer.ts'
import { printWhole, writeNotes } from './print-results.ts'
import type { RecordOutput } from './record-output.ts'
import { createSelection } from './selection.ts'

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
