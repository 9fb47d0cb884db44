import { writeText } from '../core/streams.ts'
import type { RecordOutput } from './record-output.ts'
import { safeText } from './safe-text.ts'
import type { Selection } from './selection.ts'

/** Writes notes on the printed records to stderr: omitted columns, and fields that no record has. */
export async function writeNotes(
  { io: { stderr }, columns }: Pick<RecordOutput, 'io' | 'columns'>,
  notes: readonly string[],
  selection: Selection | undefined,
): Promise<void> {
  const absent = (selection?.absent() ?? []).map((name) =>
    columns.includes(name) ? `${name} is empty in every record` : `no record has the field ${JSON.stringify(name)}`,
  )
  for (const note of [...notes, ...absent]) await writeText(stderr, `${safeText(note)}\n`)
}
