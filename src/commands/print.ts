import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { CrmRecord } from '../core/resources.ts'
import { shouldColor } from '../output/color.ts'
import { printRecord } from '../output/print-record.ts'
import { printRecords } from '../output/print-records.ts'
import type { RecordOutput } from '../output/record-output.ts'
import { withFlag } from './command-line.ts'

interface ListPage {
  readonly items: readonly CrmRecord[]
  readonly nextCursor: string | undefined
}

export interface List {
  readonly pages: AsyncIterable<ListPage>
  /** What a table shows when `--fields` names nothing. */
  readonly columns: readonly string[]
  /** What the records are called, for the note that there are none. */
  readonly plural: string
}

/** Prints pages as they arrive. None found is success, said on stderr; so is what `--limit` cut off. */
export async function printList(ctx: Context, list: List): Promise<undefined> {
  let nextCursor: string | undefined
  async function* items() {
    for await (const page of list.pages) {
      nextCursor = page.nextCursor
      yield page.items
    }
  }
  const count = await printRecords(recordOutput(ctx, list.columns), items())
  if (count === 0) ctx.note(`No ${list.plural}.`)
  else if (nextCursor) ctx.note(`The first ${count}; there are more: ${withFlag(ctx.argv, '--cursor', nextCursor)}`)
}

export async function printOne(ctx: Context, record: CrmRecord): Promise<undefined> {
  if (ctx.flags.output === 'id' && record.id === undefined) {
    throw new CrmError('usage', 'this has no id to print', { hint: 'use -o json, jsonl or table' })
  }
  await printRecord(recordOutput(ctx, Object.keys(record)), record)
}

/** For lists that are complete in memory. */
export async function* onePage(items: readonly CrmRecord[]): AsyncIterable<ListPage> {
  yield { items, nextCursor: undefined }
}

function recordOutput(ctx: Context, columns: readonly string[]): RecordOutput {
  const { io, env, flags } = ctx
  const color = shouldColor({ flag: flags.color, env, isTTY: io.stdout.isTTY === true })
  const stderr = flags.isQuiet ? { write: () => true } : io.stderr
  return { io: { stdout: io.stdout, stderr }, format: flags.output, fields: flags.fields, columns, color }
}
