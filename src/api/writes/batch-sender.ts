import { Buffer } from 'node:buffer'
import type { BatchKind, FailureMeaning } from '../../connector/document.ts'
import { keyValue } from '../../connector/field-values.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { foldedText } from '../../core/nearest.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import type { BatchRow, BatchRules, RowOutcome } from '../connectors/batch-rules.ts'
import type { Connector } from '../connectors/connector.ts'
import type { ConnectorRequest } from '../connectors/requests.ts'
import type { ExchangeParts } from '../connectors/resource-exchange.ts'
import { type Failure, isFailure } from '../errors/failure.ts'
import { readProblem } from '../errors/problem.ts'
import { DECLARED, STATUSES } from '../errors/status-failure.ts'
import type { LinkedRecords } from '../links/linked-records.ts'
import { type Answer, parseJson } from '../transport/answer.ts'
import type { Call } from '../transport/call.ts'
import type { JudgeWrite } from './judge-write.ts'
import { fieldsIn, notSentFailure } from './not-sent.ts'
import type { Write, WriteOutcome } from './write.ts'

/** How a write travels with others. */
export interface InBatch {
  /** The number of rows in one request. */
  readonly size: number
  /** Two writes with the same one never share a request. */
  readonly key: string | undefined
}

/** The outcomes of writes that were sent in one request. */
export interface BatchAnswer {
  /** Of the request; undefined if none was sent, because no row could be. */
  readonly outcome: Answer | Failure | undefined
  /** Of each write, in their order; undefined for one that shares the failure of the request. */
  readonly rows: readonly (Answer | Failure | undefined)[]
}

interface BatchParts extends Pick<ExchangeParts, 'references'> {
  readonly connector: Connector
  /** Batches take no idempotency keys: where the server may keep them, creates are sent one by one. */
  readonly mayKeepKeys: boolean
  readonly send: (call: Call) => Promise<Answer | Failure>
  readonly linkedOf: (resource: Write['resource']) => LinkedRecords | undefined
}

/** The largest batch of a resource; 1 if it has none. */
export function mostInBatch({ document }: Connector, resource: Write['resource']): number {
  const { read: _, ...writes } = document.resources[resource]?.batch ?? {}
  return Math.max(1, ...Object.values(writes).map(({ size }) => size))
}

/** Undefined for a write that is sent alone. */
export function inBatch(
  write: Write,
  { connector, mayKeepKeys }: Pick<BatchParts, 'connector' | 'mayKeepKeys'>,
): InBatch | undefined {
  const { resource, id, parent, ifMatch, body, upsertBy, isRestore } = write
  const kind = batchKind(write)
  const batch = connector.document.resources[resource]?.batch[kind]
  const isAlone = isRestore || parent !== undefined || ifMatch !== undefined || (kind === 'create' && mayKeepKeys)
  if (!batch || isAlone) return undefined
  if (kind === 'update' && body && connector.rules(resource).needsCurrent(fieldsIn(body))) return undefined
  if (kind !== 'upsert') return { size: batch.size, key: id }
  if (upsertBy === undefined || !body || !Object.hasOwn(batch.by, upsertBy)) return undefined
  return { size: batch.size, key: keyText(fieldsIn(body)[upsertBy]) }
}

function batchKind({ kind, upsertBy }: Write): Exclude<BatchKind, 'read'> {
  return upsertBy === undefined ? kind : 'upsert'
}

function keyText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? foldedText(value) : idText(value)
}

/** Writes of one kind in one request; rows that the connector cannot express fail without it. */
export async function sendBatch(writes: readonly Write[], parts: BatchParts): Promise<BatchAnswer> {
  const [first] = writes
  const batch = first && parts.connector.document.resources[first.resource]?.batch[batchKind(first)]
  if (!first || !batch) throw new Error('a batch without rows, or of a kind that the server lacks, was to be sent')
  const rules = parts.connector.rules(first.resource)
  await parts.references.load(rules.refs)
  const linked = batchKind(first) === 'create' ? parts.linkedOf(first.resource) : undefined
  const made = await Promise.all(writes.map((write, at) => rowOrFailure(write, String(at), { ...parts, linked })))
  const rows = made.flatMap((row) => ('failure' in row ? [] : [row]))
  const failures = made.map((row) => ('failure' in row ? row.failure : undefined))
  if (rows.length === 0) return { outcome: undefined, rows: failures }
  const asked = rules.batch(batch)
  const by = first.upsertBy === undefined ? undefined : batch.by[first.upsertBy]
  const call = callOf(asked.request(rows, by), first, { count: rows.length, errors: parts.connector.errors })
  const isJudged = batch.errors === undefined
  const outcome = await parts.send({ ...call, ...(isJudged && { isJudged }) })
  if (isFailure(outcome)) {
    const refused = refusalOfEach(outcome, asked, rows)
    return {
      outcome,
      rows: refused ? writes.map((_, at) => failures[at] ?? rowFailure(call, refused(at), outcome)) : failures,
    }
  }
  const found = asked.outcomes(outcome.json, rows)
  const shown = once(() => asked.outcomes(outcome.quoted?.() ?? outcome.json, rows))
  const isInOrder = batch.match === 'in_order'
  const read = { call, answer: outcome, judge: asked.judge, found, shown, parts, rows: rows.length, isInOrder }
  return { outcome, rows: writes.map((write, at) => failures[at] ?? outcomeOf(write, String(at), read)) }
}

/** What a refusal of the request says against each row, in their order; undefined if it does not. */
function refusalOfEach(
  { status, rule, body }: Failure,
  asked: Pick<BatchRules, 'outcomes'>,
  rows: readonly BatchRow[],
): ((at: number) => JsonValue) | undefined {
  if (status !== 400 || rule !== 'never' || !body) return undefined
  const found = asked.outcomes(parseJson(Buffer.from(body).toString()), rows)
  const isEach = rows.every(({ row }) => 'error' in (found.get(row) ?? {}))
  if (!isEach) return undefined
  return (at) => {
    const outcome = found.get(String(at))
    return outcome && 'error' in outcome ? outcome.error : null
  }
}

/** A row that the connector cannot express fails without a request. */
async function rowOrFailure(
  write: Write,
  row: string,
  parts: BatchParts & { readonly linked: LinkedRecords | undefined },
): Promise<BatchRow | { readonly failure: Failure }> {
  try {
    const links = write.body === null ? undefined : await parts.linked?.ofNew(fieldsIn(write.body))
    return { ...rowOf(write, row, parts), links }
  } catch (error) {
    return { failure: notSentFailure(error) }
  }
}

function rowOf(write: Write, row: string, { connector, references }: BatchParts): BatchRow {
  const { resource, id, body, upsertBy } = write
  const { map } = connector.rules(resource)
  const fields = body === null ? undefined : fieldsIn(body)
  const isCreate = batchKind(write) !== 'update'
  const record = fields && map.write(fields, { isCreate, references })
  const described = connector.document.resources[resource]
  if (upsertBy === undefined || !fields || !described) return { row, id, record }
  const wanted = keyText(fields[upsertBy])
  const has = (shown: JsonObject) => keyText(map.read(shown, references)[upsertBy]) === wanted
  return { row, record, key: { value: keyValue(upsertBy, fields[upsertBy] ?? null, described), has } }
}

function callOf(
  { body, ...request }: ConnectorRequest,
  { resource }: Write,
  { count, errors }: { readonly count: number; readonly errors: Connector['errors'] },
): Call {
  const { plural } = RESOURCES[resource]
  return {
    ...request,
    ...{ action: `send ${count} ${plural} at once`, command: 'crm jobs', findCommand: undefined },
    ...(body !== undefined && { bytes: Buffer.from(JSON.stringify(body)) }),
    ...(errors && { errors }),
  }
}

interface Answered {
  readonly call: Call
  readonly answer: Answer
  readonly judge: JudgeWrite
  readonly found: ReadonlyMap<string, RowOutcome>
  /** The same, redacted for messages. */
  readonly shown: () => ReadonlyMap<string, RowOutcome>
  readonly parts: BatchParts
  /** The number that was sent. */
  readonly rows: number
  /** Each result says whether it is a success. */
  readonly isInOrder: boolean
}

function outcomeOf(write: Write, row: string, read: Answered): Answer | Failure {
  const { answer, found, judge, parts } = read
  const outcome = found.get(row)
  if (!outcome) {
    const why = `accounts for ${found.size} of ${read.rows} rows, and not for this one`
    return { ...answer, written: { type: 'in doubt', why, isContradiction: found.size === 0 } }
  }
  const quoted = () => read.shown().get(row)
  if ('error' in outcome) {
    const shown = quoted()
    return rowFailure(read.call, shown && 'error' in shown ? shown.error : null, answer)
  }
  const { kind, id, body } = write
  const recordOf = (one: RowOutcome | undefined) => (one && 'record' in one ? one.record : undefined)
  const written = judge(
    read.isInOrder ? { ...answer, json: outcome.record } : answer,
    {
      ...{ kind, id, sent: body === null ? undefined : fieldsIn(body) },
      row: { json: outcome.record, quoted: () => recordOf(quoted()) },
    },
    parts.references,
  )
  const { headers } = answer
  const quotedRow = () => recordOf(quoted()) ?? null
  return { status: statusOf(write, written), headers, json: outcome.record, quoted: quotedRow, written }
}

/** The status that the row would have had alone. */
function statusOf({ kind, upsertBy }: Write, written: WriteOutcome): number {
  if (written.type === 'in doubt') return 200
  if (written.record === undefined) return 204
  return kind === 'create' && (written.isMade ?? upsertBy === undefined) ? 201 : 200
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The status of a refusal with this meaning. */
const OF_MEANING: Readonly<Record<FailureMeaning, number>> = {
  exists: 409,
  gone: 404,
  limit: 429,
  retry: 503,
  locked: 423,
  auth: 401,
  invalid: 422,
}

/** What an answer to many rows says against one of them; `error` is redacted. */
function rowFailure(call: Call, error: JsonValue, { status: whole = 400, headers = {} }: Answer | Failure): Failure {
  const stated = statusIn(error)
  const meaning = call.errors?.meaning(stated ?? whole, error)
  const status = meaning ? OF_MEANING[meaning] : (stated ?? OF_MEANING.invalid)
  const { code, rule } = (meaning ? DECLARED[meaning] : STATUSES[status]) ?? DECLARED.invalid
  const problem = { ...readProblem(JSON.stringify(error), error), ...call.errors?.problem(error) }
  return {
    ...{ code, rule, status, headers, isInDoubt: status >= 500 },
    reason: problem.message || 'the server refused it without a reason',
    hint: `${call.command} --help`,
    ...(problem.code === undefined ? {} : { serverCode: problem.code }),
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(problem.requestId === undefined ? {} : { requestId: problem.requestId }),
  }
}

function statusIn(error: JsonValue): number | undefined {
  if (!isJsonObject(error)) return undefined
  const stated = [error.status, error.statusCode, error.code].find((value) => isErrorStatus(Number(value)))
  return stated === undefined ? undefined : Number(stated)
}

function isErrorStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value <= 599
}
