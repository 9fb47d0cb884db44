import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { linesFor, safeLines } from '../../output/safe-text.ts'
import { documentForTerminal } from '../../output/terminal-json.ts'
import { shouldColor } from '../../output/terminal-text.ts'
import { examples } from '../command-tree.ts'
import { confirmDeletion, type Deletion, requireExpected } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags, parseCount } from '../flags.ts'
import { printDocument, printList, printOne, requestedLimit } from '../print.ts'
import { curlCommand, type Request, type RequestFlags, readRequest } from './request.ts'

interface Options extends RequestFlags {
  readonly paginate?: true
  readonly cursor?: string
  readonly include?: true
  readonly curl?: true
  readonly expect?: number
}

export function addApi(program: CommandUnknownOpts, act: Act): void {
  const api = program
    .command('api <method> [path]')
    .usage('[options] [method] <path>')
    .summary('send any request to the server')
    .description(
      'send any request to the server of the profile, with its key, limits and retries; GET unless a body is given, then POST',
    )
    .option('-f, --field <key=text>', 'a member of the body, or a parameter of a named GET (repeatable)', collect)
    .option(
      '-F, --json-field <key=value>',
      'the same with a number, true, false or null; key:=json for any JSON (repeatable)',
      collect,
    )
    .option('--input <file>', 'the body, sent unchanged; - for stdin')
    .option('-H, --header <header>', 'a header, such as \'If-Match: "3"\' (repeatable)', collect)
    .option('--idempotency-key <key>', 'a repeated request with the same key takes effect once')
    .option('--paginate', 'follow the pages of a list, and print all records as one list')
    .option('--cursor <cursor>', 'with --paginate: continue an earlier list')
    .option('-i, --include', 'print the status and the headers of the answer first')
    .option('--curl', 'print the request as a curl command instead of sending it')
    .option('--expect <n>', 'with DELETE: the number of records that must be deleted', parseCount)
    .addHelpText(
      'after',
      `${examples(
        'crm api /v1/contacts/con_0abc',
        "crm api '/v1/deals?stage=Won' --paginate -o csv",
        'crm api /v1/contacts -f name=Ada -F vip=true',
        'crm api PATCH /v1/contacts/con_0abc --input patch.json -H \'If-Match: "3"\' -i',
      )}\n\nWithout -o the answer is printed unchanged, on a terminal laid out; -o json formats it.`,
    )
    .action(act(callApi))
  addScopedFlags(api, ['fields', 'where', 'limit', 'yes', 'dryRun', 'exitCode'])
}

async function callApi(
  ctx: Context,
  first: string,
  second: string | undefined,
  options: Options,
): Promise<ExitCode | undefined> {
  refuseListFlags(ctx, options)
  const words = [first, ...(second === undefined ? [] : [second])]
  const given = await readRequest(ctx, words, options)
  const { path } = given
  if (options.paginate && given.method !== 'GET') {
    const hint = `crm api GET ${shellWord(path)} --paginate`
    throw new CrmError('usage', `--paginate goes with GET, not ${given.method}`, { hint })
  }
  const api = await ctx.api()
  const request = { ...given, headers: api.raw.headers(given.headers) }
  const url = api.raw.locate(path)
  if (options.curl) {
    await writeText(ctx.io.stdout, `${curlCommand(request, url, api)}\n`)
    return EXIT.ok
  }
  const deletion = request.method === 'DELETE' ? deletionOf(request, options.expect) : undefined
  if (ctx.flags.isDryRun) {
    const exit = await showRequest(ctx, request, url)
    if (deletion) requireExpected(ctx, deletion)
    return exit
  }
  if (deletion) {
    requireExpected(ctx, deletion)
    await confirmDeletion(ctx, deletion)
  }
  return options.paginate ? listAll(ctx, request, options.cursor) : send(ctx, request, options)
}

/** Refuses flags of lists without --paginate, because they would have no effect. */
function refuseListFlags({ flags }: Context, { paginate, cursor, include }: Options): void {
  if (paginate && include) {
    throw new CrmError('usage', '-i shows one answer, and --paginate combines several', {
      hint: 'leave out one of them',
    })
  }
  const listed = { '--cursor': cursor, '--where': flags.where, '--limit': flags.limit, '--fields': flags.fields }
  const [given] = Object.entries(listed).find(([, value]) => value !== undefined) ?? []
  const isRecords = flags.output !== 'table' && flags.output !== 'json' && flags.output !== 'jsonl'
  const wanting = given ?? (isRecords ? `-o ${flags.output}` : undefined)
  if (wanting === undefined || paginate) return
  throw new CrmError('usage', `${wanting} needs a list of records`, { hint: 'add --paginate where the path is a list' })
}

async function showRequest(
  ctx: Context,
  { method, path, headers, body, idempotencyKey }: Request,
  url: URL,
): Promise<ExitCode> {
  await printOne(ctx, {
    dry_run: true,
    method,
    path,
    url: url.href,
    headers: headerRecord(headers),
    body: body ?? null,
    idempotency_key: idempotencyKey ?? null,
  })
  ctx.note('Dry run: nothing was sent.')
  return dryRunExit(ctx, method !== 'GET' && method !== 'HEAD')
}

function headerRecord(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(headers.flatMap((text, at) => (at % 2 === 0 ? [[text, headers[at + 1] ?? '']] : [])))
}

function deletionOf({ path }: Request, expect: number | undefined): Deletion {
  return { count: 1, what: path, expect, isStdinFree: true }
}

async function listAll(ctx: Context, { path }: Request, cursor: string | undefined): Promise<undefined> {
  const api = await ctx.api()
  let refusal: Uint8Array | undefined
  const onRefused = ({ body }: { readonly body: Uint8Array }) => {
    refusal = body
  }
  const pages = api.raw.pages(path, { limit: requestedLimit(ctx), cursor, onRefused })
  const output = ctx.flags.output === 'table' ? 'json' : ctx.flags.output
  try {
    await printList({ ...ctx, flags: { ...ctx.flags, output } }, { pages, columns: [], plural: 'records' })
  } catch (error) {
    // On stderr, because stdout contains records only.
    if (refusal?.length)
      await writeText(ctx.io.stderr, `${safeLines(Buffer.from(refusal).toString('utf8').trimEnd())}\n`)
    throw error
  }
}

/** The answer goes to stdout even if it is an error: it may contain more than the two lines on stderr. */
async function send(ctx: Context, request: Request, { include }: Options): Promise<undefined> {
  const api = await ctx.api()
  const { body, ...rest } = request
  ctx.keepExitCode?.()
  const { reply, error } = await api.raw.send({ ...rest, bytes: body === undefined ? undefined : Buffer.from(body) })
  if (reply && include) await writeText(ctx.io.stdout, linesFor(ctx.io.stdout, headText(reply)))
  if (reply && reply.body.length > 0) await printBody(ctx, reply.body, error)
  if (error) throw error
}

function headText({ status, headers }: { status: number; headers: Readonly<Record<string, unknown>> }): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}`))
  return `HTTP/1.1 ${status}\n${lines.join('\n')}\n\n`
}

/** An error is shown unchanged: expressions are written for a successful answer. */
async function printBody(ctx: Context, body: Uint8Array, error: CrmError | undefined): Promise<void> {
  const text = Buffer.from(body).toString('utf8')
  if (error) {
    const { stdout } = ctx.io
    const color = shouldColor({ flag: ctx.flags.color, env: ctx.env, isTTY: stdout.isTTY === true })
    const shown = stdout.isTTY ? documentForTerminal(text, color) : text
    return writeText(stdout, shown.endsWith('\n') ? shown : `${shown}\n`)
  }
  try {
    await printDocument(ctx, text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    const hint = 'leave out -o to print it unchanged'
    throw new CrmError('bad_answer', 'the answer is not JSON', { hint, cause })
  }
}
