import { type OutputStream, writeText } from '../core/streams.ts'
import { safeText } from './safe-text.ts'
import type { Selection } from './selection.ts'

/** What a reader should know about what was printed, after it and on stderr: columns left out, fields that nothing had. */
export async function writeNotes(
  stderr: OutputStream,
  notes: readonly string[],
  selection: Selection | undefined,
): Promise<void> {
  const absent = (selection?.absent() ?? []).map((name) => `no record has the field ${JSON.stringify(name)}`)
  for (const note of [...notes, ...absent]) await writeText(stderr, `${safeText(note)}\n`)
}
