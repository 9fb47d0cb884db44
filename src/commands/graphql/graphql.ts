import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { type GraphqlOperation, readOperations } from '../../core/graphql-operations.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { writeText } from '../../core/streams.ts'
import { timeOrderedUuid } from '../../core/time-ordered-uuid.ts'
import { linesFor } from '../../output/safe-text.ts'
import { readInput } from '../../settings/read-input.ts'
import { examples } from '../command-tree.ts'
import { confirmDeletion, type Deletion, requireExpected } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { collect, readMembers } from '../fields-input.ts'
import { addScopedFlags, parseCount } from '../flags.ts'
import type { WithFlags } from '../global-flags.ts'
import { printDocument, printOne } from '../print.ts'
import { type IntrospectedSchema, introspectedText, SCHEMA_QUERY } from './schema-text.ts'

interface Options {
  readonly field?: readonly string[]
  readonly jsonField?: readonly string[]
  readonly operation?: string
  readonly sdl?: true
  readonly paginate?: true
  readonly pagePath?: string
  readonly allowPartial?: true
  readonly idempotencyKey?: string
  readonly expect?: number
}

export function addGraphql(program: CommandUnknownOpts, act: Act): void {
  const graphql = program
    .command('graphql [query]')
    .summary('send a GraphQL query to the server')
    .description('send a GraphQL query to the server: the query itself, @FILE, or - for stdin')
    .option('-f, --field <key=text>', 'a variable (repeatable)', collect)
    .option(
      '-F, --json-field <key=value>',
      'the same with a number, true, false or null; key:=json for any JSON (repeatable)',
      collect,
    )
    .option('--operation <name>', 'the operation, if the document has several')
    .option('--sdl', 'print the schema of the server instead of sending a query')
    .option('--paginate', 'follow the pages of a list by its pageInfo, and print one document')
    .option('--page-path <path>', 'with --paginate: the list, such as deals, if there are several')
    .option('--allow-partial', 'an answer with data and errors is a success')
    .option('--idempotency-key <key>', 'a repeated mutation with the same key takes effect once')
    .option('--expect <n>', 'the number of records that a mutation must delete', parseCount)
    .addHelpText(
      'after',
      `${examples(
        "crm graphql '{ pipelines { nodes { name stages { name } } } }'",
        'crm graphql --sdl > schema.graphql',
        "crm graphql @deal.graphql -f id=deal_0abc --jq '.data.deal.notes.nodes[].body'",
        "crm graphql 'query ($after: String) { contacts(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }' --paginate",
      )}\n\nWith --paginate the cursor is sent in $endCursor, $after or $cursor. Errors in the answer are exit 7.`,
    )
    .action(act(askGraphql))
  addScopedFlags(graphql, ['jq', 'yes', 'dryRun', 'exitCode'])
}

interface Question {
  readonly query: string
  readonly variables: JsonObject
  readonly operation: GraphqlOperation
  readonly idempotencyKey: string | undefined
}

async function askGraphql(ctx: Context, given: string | undefined, options: Options): Promise<ExitCode | undefined> {
  refuseRecordFormats(ctx)
  const text = queryOf(given, options)
  if (text === undefined) {
    await printSchema(ctx)
    return undefined
  }
  const query = text === '-' ? await readInput(ctx, '-', 'the query from') : await readQuery(ctx, text)
  const variables = readMembers(options.field ?? [], options.jsonField ?? [])
  const operation = chooseOperation(query, options.operation)
  const isWrite = operation.type === 'mutation'
  const idempotencyKey = isWrite ? (options.idempotencyKey ?? timeOrderedUuid()) : undefined
  const question = { query, variables, operation, idempotencyKey }
  if (ctx.flags.isDryRun) {
    await printOne(ctx, {
      dry_run: true,
      operation: operation.type,
      query,
      variables,
      idempotency_key: idempotencyKey ?? null,
    })
    ctx.note('Dry run: nothing was sent.')
    if (isWrite) requireExpected(ctx, deletionOf(operation, options.expect))
    return dryRunExit(ctx, isWrite)
  }
  const deletion = deletionOf(operation, options.expect)
  if (isWrite) requireExpected(ctx, deletion)
  if (isWrite && deletion.count > 0) await confirmDeletion(ctx, deletion)
  if (!options.paginate) ctx.keepExitCode?.()
  return options.paginate ? askPages(ctx, question, options) : askOnce(ctx, question, options)
}

/** Undefined for the schema in place of a query. */
function queryOf(text: string | undefined, { sdl }: Options): string | undefined {
  if (text === undefined && sdl) return undefined
  if (text !== undefined && !sdl) return text
  throw new CrmError('usage', sdl ? '--sdl takes no query' : 'a query is missing', {
    hint: sdl ? 'crm graphql --sdl' : "such as crm graphql '{ pipelines { nodes { name } } }'; --sdl prints the schema",
  })
}

function refuseRecordFormats({ flags: { output } }: WithFlags<'output'>): void {
  if (output === 'table' || output === 'json' || output === 'jsonl') return
  throw new CrmError('usage', `-o ${output} needs records, and GraphQL answers with a document`, {
    hint: "use --jq, such as --jq '.data.deals.nodes[] | [.id, .name] | @csv'",
  })
}

async function readQuery(ctx: Context, text: string): Promise<string> {
  return text.startsWith('@') ? readInput(ctx, text.slice(1), 'the query from') : text
}

function chooseOperation(query: string, name: string | undefined): GraphqlOperation {
  const all = readOperations(query)
  const [only, ...others] = name === undefined ? all : all.filter((operation) => operation.name === name)
  if (only?.type === 'subscription') {
    throw new CrmError('usage', 'crm graphql does not support subscriptions', {
      hint: 'for events: crm listen',
    })
  }
  if (only && others.length === 0) return only
  const known = all.map((operation) => operation.name ?? 'one without a name').join(', ')
  const what = name === undefined ? `the document contains ${all.length} operations` : `there is no operation ${name}`
  throw new CrmError('usage', all.length === 0 ? 'the document contains no operation' : `${what}: ${known}`, {
    hint: all.length === 0 ? "expected a query, such as '{ __typename }'" : 'name one of them: --operation NAME',
  })
}

/** Recognises deletions by the names of the fields. */
function deletionOf({ fields }: GraphqlOperation, expect: number | undefined): Deletion {
  const deletes = fields.filter((name) => /^(?:delete|destroy|remove|purge)/i.test(name))
  const what = deletes.length === 0 ? 'nothing, by the names of its fields' : `what ${deletes.join(', ')} names`
  return { count: deletes.length, what, expect, isStdinFree: true }
}

async function send(
  ctx: Pick<Context, 'api' | 'keepExitCode'>,
  { query, variables, operation, idempotencyKey }: Question,
) {
  const api = await ctx.api()
  const isRead = operation.type === 'query'
  if (!isRead) ctx.keepExitCode?.()
  return api.graphql({ query, variables, operationName: operation.name, isRead, idempotencyKey })
}

async function askOnce(ctx: Context, question: Question, { allowPartial }: Options): Promise<undefined> {
  const { text, json, errors } = await send(ctx, question)
  await printDocument(ctx, text)
  refuseErrors(json, errors, allowPartial)
}

/** One document: the first page with the lists of all pages, in memory. */
async function askPages(ctx: Context, question: Question, { allowPartial, pagePath }: Options): Promise<undefined> {
  const variable = cursorVariable(question.operation)
  const whole = await send(ctx, question)
  const errors = [...whole.errors]
  const seen = new Set<string>()
  const first = whole.json.data ? findConnection(whole.json.data, pagePath) : undefined
  let cursor = first && nextCursor(first)
  while (first && cursor !== undefined && (errors.length === 0 || allowPartial)) {
    if (seen.has(cursor)) {
      throw new CrmError('bad_answer', 'the server repeated a cursor', { hint: `is $${variable} used in the query?` })
    }
    seen.add(cursor)
    const page = await send(ctx, { ...question, variables: { ...question.variables, [variable]: cursor } })
    errors.push(...page.errors)
    if (!page.json.data) break
    const next = findConnection(page.json.data, first.place.join('.'))
    appendPage(first, next)
    cursor = nextCursor(next)
  }
  if (errors.length > 0) whole.json.errors = errors
  await printDocument(ctx, JSON.stringify(whole.json))
  refuseErrors(whole.json, errors, allowPartial)
}

function refuseErrors(json: JsonObject, errors: readonly JsonObject[], allowPartial: true | undefined): void {
  const hasSome = isJsonObject(json.data) && Object.values(json.data).some((value) => value !== null)
  if (errors.length === 0 || (allowPartial && hasSome)) return
  const messages = [...new Set(errors.map(({ message }) => String(message)))]
  throw new CrmError('rejected', `the answer contains errors: ${messages.slice(0, 3).join('; ')}`, {
    hint: hasSome ? 'to accept the data beside them: --allow-partial' : 'correct the query, and ask again',
  })
}

/** The schema of the server in the schema definition language; with `-o json` or `--jq` as the server sends it. */
async function printSchema(ctx: Context): Promise<void> {
  const { graphql } = await ctx.api()
  const { text, json, errors } = await graphql({
    query: SCHEMA_QUERY,
    variables: {},
    operationName: 'Schema',
    isRead: true,
    idempotencyKey: undefined,
  })
  const { __schema } = (json.data ?? {}) as { readonly __schema?: unknown }
  if (!__schema) {
    const reason = errors.map(({ message }) => String(message)).join('; ')
    throw new CrmError('not_supported', `the server does not provide its schema${reason === '' ? '' : `: ${reason}`}`, {
      hint: 'ask for single types: crm graphql \'{ __type(name: "Query") { fields { name } } }\'',
    })
  }
  if (ctx.flags.output !== 'table' || ctx.flags.jq !== undefined) return printDocument(ctx, text)
  await writeText(ctx.io.stdout, linesFor(ctx.io.stdout, introspectedText(__schema as IntrospectedSchema)))
}

/** Common names of the variable for the cursor. */
const CURSOR_VARIABLES = ['endCursor', 'after', 'cursor'] as const

/** CrmError `usage` for a query without a variable for the cursor. */
function cursorVariable({ variables }: GraphqlOperation): string {
  const name = CURSOR_VARIABLES.find((each) => variables.includes(each))
  if (name !== undefined) return name
  throw new CrmError('usage', `--paginate needs a variable for the cursor: ${list(CURSOR_VARIABLES)}`, {
    hint: "such as: crm graphql 'query ($after: String) { deals(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }' --paginate",
  })
}

function list(names: readonly string[]): string {
  return names.map((name) => `$${name}`).join(', ')
}

interface FoundConnection {
  /** The members that lead to it from `data`. */
  readonly place: readonly string[]
  readonly value: JsonObject
}

/**
 * The one connection that has a `pageInfo`, or that of `path` (`deals`, or `deals.pageInfo`). CrmError `usage` where there is
 * none, or more than one to choose from.
 */
function findConnection(data: JsonValue | undefined, path: string | undefined): FoundConnection {
  const all = connectionsIn(data ?? null, [])
  const wanted = path?.replace(/\.?pageInfo$/, '')
  const found = wanted === undefined ? all : all.filter(({ place }) => place.join('.') === wanted)
  const [only, ...others] = found
  if (only && others.length === 0) return only
  const known = all.map(({ place }) => place.join('.')).join(', ')
  if (all.length === 0) {
    throw new CrmError('usage', '--paginate needs a pageInfo in the answer', {
      hint: 'add pageInfo { hasNextPage endCursor } to the selection of the list',
    })
  }
  throw new CrmError(
    'usage',
    `--paginate ${wanted === undefined ? 'finds several lists' : `finds no list ${wanted}`}: ${known}`,
    {
      hint: `choose one of them: --page-path ${all[0]?.place.join('.')}`,
    },
  )
}

/** Connections within lists are ignored, because they are ambiguous. */
function connectionsIn(value: JsonValue, place: readonly string[]): readonly FoundConnection[] {
  if (!isJsonObject(value)) return []
  const own = isJsonObject(value.pageInfo) && 'hasNextPage' in value.pageInfo ? [{ place, value }] : []
  return [...own, ...Object.entries(value).flatMap(([name, member]) => connectionsIn(member, [...place, name]))]
}

/** Undefined on the last page; CrmError `bad_answer` if there is a next page without a cursor. */
function nextCursor({ value }: FoundConnection): string | undefined {
  const pageInfo = isJsonObject(value.pageInfo) ? value.pageInfo : {}
  if (pageInfo.hasNextPage !== true) return undefined
  if (typeof pageInfo.endCursor === 'string') return pageInfo.endCursor
  throw new CrmError('bad_answer', 'there are more pages, but no endCursor for them', {
    hint: 'add endCursor to pageInfo, beside hasNextPage',
  })
}

/** Appends the lists of a later page to those of the first, and takes over its pageInfo. */
function appendPage(first: FoundConnection, next: FoundConnection): void {
  for (const [name, value] of Object.entries(next.value)) {
    const before = first.value[name]
    if (Array.isArray(before) && Array.isArray(value)) before.push(...value)
    else first.value[name] = value
  }
}
