import type { JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { writeText } from '../core/streams.ts'
import type { Query } from '../expr/expression.ts'
import { jsonText } from './json-text.ts'
import type { RecordOutput } from './record-output.ts'
import { linesFor } from './safe-lines.ts'
import { safeText } from './safe-text.ts'
import type { Selection } from './selection.ts'

/**
 * Prints the results of `--jq` for each record as pages arrive (jsonl), or for the whole list (json), which is held in
 * memory until it is complete. Returns the number of records.
 */
export async function printResults(
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
