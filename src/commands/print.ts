import type { Page } from '../api/operations.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonValue, parseExactJson } from '../core/json.ts'
import { type CrmRecord, FIELDS, RESOURCES, type Resource } from '../core/resources/registry.ts'
import { type OutputStream, writeText } from '../core/streams.ts'
import type { Where } from '../expr/expressions.ts'
import type { Pager } from '../output/pager.ts'
import { PagerClosed, printRecord, printRecords, printWhole } from '../output/print-records.ts'
import { createProgress } from '../output/progress.ts'
import type { RecordOutput } from '../output/record-output.ts'
import { jsonText } from '../output/safe-text.ts'
import { documentForTerminal, shouldColor } from '../output/terminal-text.ts'
import { withContinueHint, withFlag, withoutFlags } from './command-line.ts'
import type { WithFlags } from './global-flags.ts'
import { keepMatching } from './keep-matching.ts'
import {
  allOf,
  type CheckContext,
  createMemberCheck,
  expressionUses,
  fieldUses,
  type ListCheck,
} from './member-check.ts'

/** What writing records needs. */
type OutputContext = Pick<Context, 'io' | 'env' | 'expr'> &
  WithFlags<'isQuiet' | 'output' | 'fields' | 'color' | 'isCsvSafe'>

/** What reading and filtering a list needs. */
type ListContext = Pick<Context, 'io' | 'now' | 'note' | 'expr'> & WithFlags<'isQuiet' | 'progress' | 'limit'>

interface WholeList {
  /** Whether the only page holds all records. */
  readonly isWhole: true
}

export interface List {
  readonly pages: AsyncIterable<Page> & Partial<WholeList>
  /** The columns of a table without `--fields`. */
  readonly columns: readonly string[]
  /** The plural, for the note that there are none. */
  readonly plural: string
  /** Undefined if they are not records of a resource. */
  readonly resource?: Resource
  /** What a table without `--fields` has of a record. */
  readonly cells?: (record: CrmRecord) => CrmRecord
  /** `--cursor`, as typed. */
  readonly cursor?: string | undefined
  /** Checks at the end, besides that of the members in expressions. */
  readonly checks?: readonly ListCheck[]
}

/** The columns and the plural of a resource. */
export function listOf(resource: Resource): Pick<List, 'columns' | 'plural' | 'resource'> {
  // Servers show the secret of a webhook only once.
  const columns = FIELDS[resource].filter((name) => name !== 'secret')
  return { columns, plural: RESOURCES[resource].plural, resource }
}

/** `--where` is applied locally: all records are requested, and `--limit` counts those that match. */
export function requestedLimit({ flags }: WithFlags<'limit' | 'where'>): number | undefined {
  return flags.where === undefined ? flags.limit : undefined
}

/** Runs the checks when all pages were read, before what is made of them is complete. */
export async function* judged(pages: AsyncIterable<Page>, check: ListCheck): AsyncGenerator<Page> {
  yield* pages
  await check.judge()
}

/** Prints pages as they arrive. An empty list is a success; it, and records beyond `--limit`, are noted on stderr. */
export async function printList(ctx: Context, list: List): Promise<undefined> {
  const pager = await openPagerFor(ctx)
  const check = await checkOf(ctx, list)
  let last: Page | undefined
  let count = 0
  try {
    const out = await recordOutput(ctx, list.columns, pager?.stdout)
    count = await printRecords(
      { ...out, isWhole: list.pages.isWhole === true },
      cellsOf(
        itemsOf(await chosenPages(ctx, list, check), (page) => {
          last = page
          if (list.resource) ctx.seen(list.resource, page.items)
        }),
        isTable(ctx) ? list.cells : undefined,
      ),
    )
  } catch (error) {
    if (error instanceof PagerClosed) {
      await pager?.close()
      if (!ctx.signal.aborted) return
    }
    // The result of an expression for a whole list is printed at its end.
    throw ctx.flags.jq !== undefined && ctx.flags.output === 'json' ? error : withContinueHint(error, ctx.argv, last)
  } finally {
    await pager?.close()
  }
  if (pager) ctx.signal.throwIfAborted()
  noteRest(ctx, list, { count, last })
  await check.judge()
}

/** All checks of a list. */
export async function checkOf(ctx: CheckContext, { resource, checks = [] }: List): Promise<ListCheck> {
  if (!resource) return allOf(checks)
  const uses = [...fieldUses(ctx, resource), ...(await expressionUses(ctx, 'list'))]
  return allOf([createMemberCheck(ctx, resource, uses), ...checks])
}

/** Progress counts the records read from the server; rows on a terminal need no progress. */
export async function chosenPages(
  ctx: ListContext,
  { pages, plural }: List,
  check: ListCheck,
  isStdoutTTY: boolean = ctx.io.stdout.isTTY === true,
): Promise<AsyncIterable<Page>> {
  const { io, flags, now } = ctx
  const progress = createProgress({
    stderr: io.stderr,
    flag: flags.isQuiet ? 'none' : flags.progress,
    plural,
    isStdoutTTY,
    now,
  })
  async function* counted(): AsyncGenerator<Page> {
    try {
      for await (const page of pages) {
        progress.add(page.items.length)
        check.see(page.items)
        yield page
      }
    } finally {
      progress.end()
    }
  }
  const { where } = await ctx.expr()
  if (!where) return counted()
  return matchingPages(ctx, counted(), where, check)
}

/** A misspelt member is the usual reason why an expression fails, so it is reported first. */
async function* matchingPages(
  ctx: Pick<Context, 'note'> & WithFlags<'limit'>,
  pages: AsyncIterable<Page>,
  where: Where,
  check: ListCheck,
): AsyncGenerator<Page> {
  const keep: Where['keep'] = async (records) => {
    try {
      return await where.keepBefore(records)
    } catch (error) {
      await check.judge()
      throw error
    }
  }
  // A record after the last one that --limit asks for does not count.
  const judge = async (): Promise<void> => {
    const failure = where.failure()
    if (!failure) return
    await check.judge()
    throw failure
  }
  yield* keepMatching(pages, keep, ctx.flags.limit, judge)
  const line = where.leftOut()
  if (line !== undefined) ctx.note(line)
}

/** Whether a table has the usual columns. */
export function isTable({ flags }: WithFlags<'output' | 'fields'>): boolean {
  return flags.output === 'table' && flags.fields === undefined
}

async function* cellsOf(
  items: AsyncIterable<readonly CrmRecord[]>,
  cells: List['cells'],
): AsyncGenerator<readonly CrmRecord[]> {
  for await (const records of items) yield cells ? records.map(cells) : records
}

export async function* itemsOf(
  pages: AsyncIterable<Page>,
  onPage: (page: Page) => void = () => {},
): AsyncGenerator<readonly CrmRecord[]> {
  for await (const page of pages) {
    onPage(page)
    yield page.items
  }
}

function noteRest(
  ctx: Pick<Context, 'argv' | 'note'> & WithFlags<'where' | 'limit'>,
  { plural, cursor }: List,
  { count, last }: { readonly count: number; readonly last: Page | undefined },
): void {
  const { argv, flags } = ctx
  const isSure = flags.where === undefined && last?.rest !== 'unknown'
  const more = isSure ? 'there are more' : 'there may be more'
  if (count === 0 && cursor !== undefined) {
    const all = withoutFlags(argv, '--cursor')
    ctx.note(`No ${plural} follow this cursor, or the server does not know it; from the start: ${all}`)
  } else if (count === 0) ctx.note(flags.where === undefined ? `No ${plural}.` : `No ${plural} match.`)
  else if (last?.rest === 'none') return
  else if (last?.isCut) {
    ctx.note(`The first ${count}; there are more: ${withFlag(argv, '--limit', String(2 * count))}`)
  } else if (last?.nextCursor) {
    ctx.note(`The first ${count}; ${more}: ${withFlag(argv, '--cursor', last.nextCursor)}`)
  } else if (last?.rest && count === flags.limit) {
    ctx.note(`The first ${count}; ${more}: ${withFlag(argv, '--limit', String(2 * count))}`)
  }
}

/** `resource`: undefined if the record is not one of a resource. */
export async function printOne(ctx: Context, record: CrmRecord, resource?: Resource): Promise<undefined> {
  if (ctx.flags.output === 'id' && record.id === undefined) {
    throw new CrmError('usage', 'this has no id to print', { hint: 'use -o json, jsonl or table' })
  }
  // Unlike a list, a single record is not ended by a closed pipe: the exit code counts.
  ctx.keepExitCode?.()
  const out = await recordOutput(ctx, Object.keys(record))
  try {
    await printRecord(out, record)
    if (out.query && resource) await judgeMembers(ctx, record, resource)
  } catch (cause) {
    if (!out.query || !(cause instanceof CrmError) || cause.code !== 'invalid_input') throw cause
    throw doneBut('the answer cannot be printed: ', cause)
  }
}

async function judgeMembers(ctx: CheckContext, record: CrmRecord, resource: Resource): Promise<void> {
  const check = createMemberCheck(ctx, resource, await expressionUses(ctx, 'record'))
  check.see([record])
  await check.judge()
}

/** Replaces exit 2, which means that nothing was sent. */
function doneBut(what: string, cause: CrmError): CrmError {
  return new CrmError('partial', `done, but ${what}${cause.message}`, { ...cause.details, cause })
}

/** Prints the record of a write. Its id is reported even if the output fails, because it may be the only way to find the record. */
export async function printWritten(ctx: Context, record: CrmRecord, what: Resource): Promise<undefined> {
  const id = idText(record.id)
  ctx.keepExitCode?.()
  ctx.seen(what, [record])
  if (id !== undefined) {
    ctx.onServerChange?.(`${what} ${id}`)
    if (ctx.isStdoutDiscarded?.()) ctx.note(`Done, but the output is discarded: ${what} ${id}`)
  }
  if (id === undefined && ctx.flags.output === 'id') {
    const message = `the server confirmed the write, but sent a ${what} without an id`
    throw new CrmError('bad_answer', message, { hint: `crm ${RESOURCES[what].plural} list` })
  }
  try {
    return await printOne(ctx, record, what)
  } catch (cause) {
    throw cause instanceof CrmError && cause.code === 'usage' && id !== undefined ? doneBut('', cause) : cause
  }
}

/** A value that is not a record: plain text, or a JSON document if requested. */
export async function printValue(ctx: Pick<Context, 'io'> & WithFlags<'output'>, value: JsonValue): Promise<undefined> {
  const isJson = ctx.flags.output === 'json' || ctx.flags.output === 'jsonl'
  await writeText(ctx.io.stdout, `${isJson ? jsonText(value) : String(value ?? '')}\n`)
}

/** A document unchanged, for a terminal laid out, or the result of `--jq`; `-o json` and `jsonl` format JSON. */
export async function printDocument(ctx: OutputContext, text: string): Promise<void> {
  const { io, flags } = ctx
  const out = await recordOutput(ctx, [])
  if (out.query) return printWhole(out, out.query, text)
  const isLaidOut = flags.output === 'json' || flags.output === 'jsonl'
  const shown = isLaidOut
    ? jsonText(parseExactJson(text), flags.output === 'json' ? 2 : 0)
    : io.stdout.isTTY
      ? documentForTerminal(text, out.color)
      : text
  await writeText(io.stdout, shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`)
}

/** For lists that are complete in memory. */
export function onePage(items: readonly CrmRecord[]): AsyncIterable<Page> & WholeList {
  async function* pages(): AsyncGenerator<Page> {
    yield { items, nextCursor: undefined }
  }
  return Object.assign(pages(), { isWhole: true } as const)
}

async function openPagerFor({
  io,
  env,
  flags,
}: Pick<Context, 'io' | 'env'> & WithFlags<'isPagerAllowed'>): Promise<Pager | undefined> {
  if (!io.stdout.isTTY || !flags.isPagerAllowed) return undefined
  const { openPager, pagerCommand } = await import('../output/pager.ts')
  const command = pagerCommand(env)
  return command === undefined ? undefined : openPager(command, env, io.stdout)
}

export async function recordOutput(
  ctx: OutputContext,
  columns: readonly string[],
  stdout: OutputStream = ctx.io.stdout,
): Promise<RecordOutput> {
  const { io, env, flags } = ctx
  const { query } = await ctx.expr()
  return {
    io: { stdout, stderr: flags.isQuiet ? { write: () => true } : io.stderr },
    format: flags.output,
    fields: flags.fields,
    columns,
    color: shouldColor({ flag: flags.color, env, isTTY: io.stdout.isTTY === true }),
    isCsvSafe: flags.isCsvSafe,
    query,
  }
}
