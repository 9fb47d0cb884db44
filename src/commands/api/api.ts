import { Buffer } from 'node:buffer'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../../api/api.ts'
import type { Method } from '../../api/transport/call.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { isHeaderName, isHeaderValue, isTransportHeader } from '../../core/http-rules.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { timeOrderedUuid } from '../../core/time-ordered-uuid.ts'
import { linesFor, safeLines } from '../../output/safe-text.ts'
import { documentForTerminal, shouldColor } from '../../output/terminal-text.ts'
import { readInput } from '../../settings/read-input.ts'
import { examples } from '../command-tree.ts'
import { confirmDeletion, type Deletion, requireExpected } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { collect, readMembers } from '../fields-input.ts'
import { addScopedFlags, parseCount } from '../flags.ts'
import { printDocument, printList, printOne, requestedLimit } from '../print.ts'

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

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

interface RequestFlags {
  readonly field?: readonly string[]
  readonly jsonField?: readonly string[]
  readonly input?: string
  readonly header?: readonly string[]
  readonly idempotencyKey?: string
}

interface Request {
  readonly method: Method
  /** Path and query. */
  readonly path: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
}

/** Fields are the body of a write, or query parameters if there is another body or none. */
async function readRequest(ctx: Context, words: readonly string[], flags: RequestFlags): Promise<Request> {
  const { method, path } = lineOf(words, flags)
  const fields = readMembers(flags.field ?? [], flags.jsonField ?? [])
  const headers = readHeaders(flags.header ?? [])
  const hasFields = Object.keys(fields).length > 0
  const isFieldsBody = hasFields && flags.input === undefined && method !== 'GET' && method !== 'HEAD'
  const input = flags.input === undefined ? undefined : await readInput(ctx, flags.input, '--input')
  const body = isFieldsBody ? JSON.stringify(fields) : input
  const hasType = headers.some(({ name }) => name.toLowerCase() === 'content-type')
  const typed =
    body === undefined || hasType ? headers : [...headers, { name: 'Content-Type', value: 'application/json' }]
  const given = headers.find(({ name }) => name.toLowerCase() === 'idempotency-key')
  return {
    method,
    path: isFieldsBody || !hasFields ? path : withParameters(path, fields),
    headers: typed.filter((header) => header !== given).flatMap(({ name, value }) => [name, value]),
    body,
    idempotencyKey: flags.idempotencyKey ?? given?.value ?? newIdempotencyKey(method),
  }
}

/** A new key for the methods that send one. */
function newIdempotencyKey(method: Method): string | undefined {
  return method === 'POST' || method === 'PATCH' ? timeOrderedUuid() : undefined
}

/** `[method] <path>`: without a method, a body is posted. The slash at the start of a path may be left out. */
function lineOf(words: readonly string[], { field, jsonField, input }: RequestFlags): Pick<Request, 'method' | 'path'> {
  const [first = '', second] = words
  if (second === undefined && METHODS.some((each) => each === first.toUpperCase())) {
    throw new CrmError('usage', `expected a path, or a method and a path, and not ${first} alone`, {
      hint: 'such as: crm api /v1/contacts, or crm api DELETE /v1/contacts/con_0abc',
    })
  }
  const hasBody = field !== undefined || jsonField !== undefined || input !== undefined
  const path = second ?? first
  const isBare = /^[^/\\]/.test(path) && !/^[a-z][a-z\d+.-]*:/i.test(path)
  return {
    method: second === undefined ? (hasBody ? 'POST' : 'GET') : checkMethod(first),
    path: isBare ? `/${path}` : path,
  }
}

function checkMethod(text: string): Method {
  const method = METHODS.find((each) => each === text.toUpperCase())
  if (method) return method
  throw new CrmError('usage', `${JSON.stringify(text)} is not a method`, {
    hint: `expected ${METHODS.join(', ')}, such as: crm api GET /v1/contacts`,
  })
}

interface Header {
  readonly name: string
  readonly value: string
}

function readHeaders(texts: readonly string[]): readonly Header[] {
  return texts.map((text) => {
    const [, name = '', value = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? []
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      throw new CrmError('usage', `-H ${JSON.stringify(text)} is not a header`, { hint: "expected -H 'Name: value'" })
    }
    if (isTransportHeader(name) || name.toLowerCase() === 'authorization') {
      throw new CrmError('usage', `-H cannot set ${name}`, { hint: ownHeaderHint(name) })
    }
    return { name, value }
  })
}

function ownHeaderHint(name: string): string {
  return name.toLowerCase() === 'authorization'
    ? 'the key comes from the profile, CRM_API_KEY or --key-file, and is sent to their server only'
    : 'leave it out: crm sets it itself'
}

function withParameters(path: string, fields: JsonObject): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    const isNested = isJsonObject(value) || Array.isArray(value)
    parameters.append(name, isNested ? JSON.stringify(value) : String(value))
  }
  return `${path}${path.includes('?') ? '&' : '?'}${parameters}`
}

/** What stands for the key, outside of single quotes. */
const KEY = '$CRM_API_KEY'

/** The request as a curl command, with a variable in place of the key. */
function curlCommand(
  { method, headers, body, idempotencyKey }: Request,
  url: URL,
  { connector, terms }: Pick<Api, 'connector' | 'terms'>,
): string {
  const credentials = connector.credentials(KEY)
  const parameters = credentials.query.map((pair) => pair.join('=')).join('&')
  const address =
    parameters === '' ? shellWord(url.href) : doubleQuoted(`${url.href}${url.search === '' ? '?' : '&'}${parameters}`)
  const words = ['curl', '-sS', ...methodWords(method), address]
  for (const [name, value] of pairs(credentials.headers)) words.push(...signIn(name, value))
  const own = pairs(headers)
  const isAsked = own.some(([name]) => name.toLowerCase() === 'accept')
  const accepted = isAsked ? [] : [['Accept', 'application/json'] as const]
  for (const [name, value] of [...accepted, ...own]) words.push('-H', shellWord(`${name}: ${value}`))
  if (idempotencyKey !== undefined) words.push('-H', shellWord(`${terms.idempotencyHeader}: ${idempotencyKey}`))
  if (body !== undefined) words.push('--data-raw', shellWord(body))
  return words.join(' ')
}

/** Of alternating names and values. */
function pairs(headers: readonly string[]): (readonly [name: string, value: string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
}

/** curl encodes a user and a password itself. */
function signIn(name: string, value: string): readonly string[] {
  const [, pair] = /^Basic (.*)$/.exec(value) ?? []
  return pair === undefined
    ? ['-H', doubleQuoted(`${name}: ${value}`)]
    : ['-u', doubleQuoted(Buffer.from(pair, 'base64').toString('utf8'))]
}

function doubleQuoted(text: string): string {
  return `"${text
    .split(KEY)
    .map((part) => part.replace(/[\\"$`]/g, '\\$&'))
    .join(KEY)}"`
}

function methodWords(method: Request['method']): readonly string[] {
  if (method === 'GET') return []
  return method === 'HEAD' ? ['-I'] : ['-X', method]
}
