import type { CrmRecord } from '../core/resources/registry.ts'
import { writeText } from '../core/streams.ts'
import { openWriter } from './open-writer.ts'
import { printResults, writeNotes } from './print-results.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'
import { createSelection, type Selection } from './selection.ts'

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

async function writePages({ io: { stdout } }: RecordOutput, writer: RecordWriter, pages: Pages): Promise<number> {
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
