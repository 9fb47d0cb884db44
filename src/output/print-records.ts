import type { CrmRecord } from '../core/resources.ts'
import { writeText } from '../core/streams.ts'
import { openWriter } from './open-writer.ts'
import { writeNotes } from './print-notes.ts'
import type { RecordOutput } from './record-output.ts'
import { createSelection } from './selection.ts'

/**
 * Prints rows as pages arrive and says how many there were. A failure before the first page leaves stdout empty; one in
 * the middle leaves a json document open on purpose, so that half a list is not taken for the whole.
 */
export async function printRecords(out: RecordOutput, pages: AsyncIterable<readonly CrmRecord[]>): Promise<number> {
  const writer = await openWriter(out)
  const selection = out.fields && out.format !== 'id' ? createSelection(out.fields) : undefined
  const { stdout } = out.io
  let count = 0
  for await (const page of pages) {
    await writeText(stdout, writer.page(selection ? page.map(selection.pick) : page))
    count += page.length
  }
  await writeText(stdout, writer.end())
  await writeNotes(out.io.stderr, writer.notes(), count > 0 ? selection : undefined)
  return count
}
