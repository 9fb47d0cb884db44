import type { CrmRecord } from '../core/resources.ts'
import { writeText } from '../core/streams.ts'
import { openWriter } from './open-writer.ts'
import { writeNotes } from './print-notes.ts'
import type { RecordOutput } from './record-output.ts'
import { createSelection } from './selection.ts'

/** One record: a json object, a jsonl line, an id, or a table of keys and values, which is never cut. */
export async function printRecord(out: RecordOutput, record: CrmRecord): Promise<void> {
  const writer = await openWriter(out)
  const selection = out.fields && out.format !== 'id' ? createSelection(out.fields) : undefined
  await writeText(out.io.stdout, writer.single(selection ? selection.pick(record) : record))
  await writeNotes(out.io.stderr, writer.notes(), selection)
}
