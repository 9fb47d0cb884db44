import { Buffer } from 'node:buffer'
import { keyValue } from '../../connector/field-values.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Resource } from '../../core/resources/registry.ts'
import type { Connector } from '../connectors/connector.ts'
import { NO_REFERENCES } from '../connectors/references.ts'
import { createExchange, type Exchange, type ExchangeParts } from '../connectors/resource-exchange.ts'
import { type Failure, isFailure } from '../errors/failure.ts'
import { linkedRecords } from '../links/linked-records.ts'
import { createLinkingSender } from '../links/linking-sender.ts'
import type { ApiOptions } from '../options.ts'
import type { Answer } from '../transport/answer.ts'
import { attempt, holdFor, type TryOptions } from '../transport/attempt.ts'
import { addressOfCall, type Call, withCredentials } from '../transport/call.ts'
import { openConnections } from '../transport/connections.ts'
import { baseHeaders, ifMatchHeader, replaceHeaders } from '../transport/headers.ts'
import { SYSTEM_TIMING, type Timing } from '../transport/timing.ts'
import { redactorOf, withTokens } from '../transport/tokens.ts'
import { TrailingSlashes } from '../transport/trailing-slashes.ts'
import { type BatchAnswer, type InBatch, inBatch, mostInBatch, sendBatch } from './batch-sender.ts'
import { lost } from './judge-write.ts'
import { FailedRead, fieldsIn, notSentFailure } from './not-sent.ts'
import type { WriteCall } from './record.ts'
import type { Write } from './write.ts'

/** A POST at a path below the server's address, such as that of GraphQL. */
export type OwnPost = Pick<Write, 'body' | 'idempotencyKey' | 'ifMatch' | 'action'> & { readonly path: string }

/**
 * Sends the writes of jobs: one call is one try with one outcome. Nothing is retried or delayed here, because the caller
 * writes the result of each try to disk before the next one.
 */
export interface Sender {
  send(write: Write): Promise<Answer | Failure>
  /** Writes of one kind in one request. */
  sendBatch(writes: readonly Write[]): Promise<BatchAnswer>
  /** Undefined for a write that is sent alone. */
  inBatch(write: Write): InBatch | undefined
  /** Fields with links: those that came since a change was planned stay. */
  linkFields(resource: Resource): readonly string[]
  /** The most rows that one request for this resource takes. */
  mostInBatch(resource: Resource): number
  post(own: OwnPost): Promise<Answer | Failure>
  /** Requests one record of the list of this resource. */
  ask(resource: Resource): Promise<Answer | Failure>
  /** So many requests will follow. */
  expect(requests: number): void
  close(): Promise<void>
}

export type SenderOptions = Pick<
  ApiOptions,
  | 'baseUrl'
  | 'key'
  | 'tokens'
  | 'terms'
  | 'connector'
  | 'loginHint'
  | 'serveDatabase'
  | 'timeoutMs'
  | 'userAgent'
  | 'now'
  | 'debug'
  | 'env'
  | 'requestsBeforeUndici'
  | 'ceilings'
> & {
  readonly sleep?: Timing['sleep']
  /** Names that fields refer to; undefined for a connector whose fields refer to none. */
  readonly references?: ExchangeParts['references']
  /** The name of the job, for a server that describes the header for it. */
  readonly job?: string | undefined
  /** The maximum number of requests in flight. */
  readonly connections: number
  /** Aborted to give up requests in flight, whose outcome is then unknown; undefined: they are awaited. */
  readonly cut?: AbortSignal | undefined
}

/** The header with the name of the job that sends a change. */
const JOB_HEADER = 'Crm-Job'

const NO_TEXTS = { command: 'crm jobs', findCommand: undefined } as const

export function createSender(options: SenderOptions): Sender {
  const { ceilings, sleep = SYSTEM_TIMING.sleep } = options
  const { connector } = options
  const fixedHeaders = baseHeaders({ ...options, connector })
  const credentials = connector.credentials(options.key)
  const connections = withTokens(openConnections(options, options.connections), options)
  const signal = options.cut ?? new AbortController().signal
  const redactor = redactorOf(options)
  const slashes = new TrailingSlashes(options.baseUrl)
  const tryOptions: TryOptions = { ...options, connector, signal, maxWaitMs: 0, onWait: undefined, redactor, slashes }
  const jsonHeaders = [...fixedHeaders, 'Content-Type', 'application/json']

  const sendOnce = (call: Call, more: readonly string[], body: Buffer | null) => {
    const common = body === null ? fixedHeaders : jsonHeaders
    const headers = [...(call.headers ? replaceHeaders(common, call.headers) : common), ...more]
    const path = withCredentials(addressOfCall(options.baseUrl, call), credentials)
    const outgoing = { method: call.method, path, headers, body }
    const send = () => attempt(connections, { call, outgoing, number: 1, signal }, tryOptions)
    return holdFor({ call, signal }, options, { send, sleep })
  }
  const named = options.job === undefined ? [] : [JOB_HEADER, options.job]
  const keyed = ({ idempotencyKey, ifMatch }: Pick<Write, 'idempotencyKey' | 'ifMatch'>) => [
    ...[options.terms.idempotencyHeader, idempotencyKey],
    ...matching(ifMatch),
    ...named,
  ]
  // The write that needs them has waited; they count for those that follow.
  const read = (call: Call) => {
    const send = () => sendOnce(call, [], call.bytes ?? null)
    return ceilings ? ceilings.main.count(send) : send()
  }
  const http: ExchangeParts['http'] = {
    request: async (call) => {
      const outcome = await read(call)
      if (isFailure(outcome)) throw new FailedRead(outcome)
      return outcome
    },
  }
  const linkedOf = (resource: Resource) => linkedRecords({ connector, http }, resource)
  const batches = {
    connector,
    linkedOf,
    references: options.references ?? NO_REFERENCES,
    mayKeepKeys: options.terms.idempotency !== 'none',
    send: (call: Call) => sendOnce(call, [], call.bytes ?? null),
  }
  const translated = createTranslation(connector, options.references, { send: sendOnce, http })
  const sender: Sender = {
    send: (write) => translated(write, write.kind === 'delete' ? [...matching(write.ifMatch), ...named] : keyed(write)),
    sendBatch: (writes) => sendBatch(writes, batches),
    inBatch: (write) => inBatch(write, batches),
    linkFields: (resource) => Object.keys(connector.document.resources[resource]?.links?.fields ?? {}),
    mostInBatch: (resource) => mostInBatch(connector, resource),
    post: (own) => sendOnce({ method: 'POST', path: own.path, ...NO_TEXTS, action: own.action }, keyed(own), own.body),
    ask: (resource) => {
      const rules = connector.rules(resource)
      const { body, ...request } = rules.pageRequest(undefined, 1, {})
      const call = { ...request, ...NO_TEXTS, action: 'ask the server' }
      return sendOnce({ ...call, isRead: true }, [], body === undefined ? null : Buffer.from(JSON.stringify(body)))
    },
    expect: connections.expect,
    close: connections.close,
  }
  return connector.document.links ? createLinkingSender(sender, linkedOf) : sender
}

function matching(ifMatch: string | undefined): readonly string[] {
  return ifMatch === undefined ? [] : ['If-Match', ifMatchHeader(ifMatch)]
}

type SendOnce = (call: Call, more: readonly string[], body: Buffer | null) => Promise<Answer | Failure>

/** The number of records that a job reads back after replacing them. */
const MOST_LOOKS = 5

/** Sends writes as the connector says. A failed read before the write is the outcome of the write, without effect. */
function createTranslation(
  connector: Connector,
  references: ExchangeParts['references'] | undefined,
  { send, http }: { readonly send: SendOnce; readonly http: ExchangeParts['http'] },
) {
  let looks = MOST_LOOKS
  /** Reads back the first records that are replaced: the answer may leave out what the server lost. */
  const withLoss = async (answer: Answer | Failure, { lostMembers }: WriteCall): Promise<Answer | Failure> => {
    if (isFailure(answer) || answer.written?.type !== 'done' || !lostMembers || looks === 0) return answer
    looks -= 1
    const members = await lostMembers().catch((error: unknown) => {
      if (!(error instanceof CrmError || error instanceof FailedRead)) throw error
    })
    return members === undefined ? answer : { ...answer, written: lost(members) }
  }
  return async (write: Write, more: readonly string[]): Promise<Answer | Failure> => {
    const { kind, resource, id, parent, body, ifMatch, action, upsertBy, isRestore } = write
    const fields = body === null ? undefined : fieldsIn(body)
    const exchange = createExchange({ connector, references: references ?? NO_REFERENCES, http }, { resource, parent })
    let call: WriteCall
    try {
      const upsert = fields && upsertBy !== undefined ? upsertOf(upsertBy, fields, write, connector) : undefined
      const target = {
        ...(id !== undefined && { id }),
        ...(fields && body && { fields, bytes: body }),
        upsert,
        isRestore,
      }
      call = await exchange.write(kind, target, { ...NO_TEXTS, ifMatch, action })
    } catch (error) {
      return notSentFailure(error)
    }
    const outcome = await send(call, more, call.bytes ?? null)
    const answer = await withLoss(judged(outcome, call), call)
    return kind === 'delete' && id !== undefined ? settledDeletion(answer, id, exchange) : answer
  }
}

/** A deletion that is not done by its answer is where the record is gone. */
async function settledDeletion(
  answer: Answer | Failure,
  id: string,
  { whyNotGone }: Pick<Exchange, 'whyNotGone'>,
): Promise<Answer | Failure> {
  if (isFailure(answer) || answer.written?.type !== 'in doubt') return answer
  const { written } = answer
  const there = await whyNotGone(id)
  if (there !== undefined) return { ...answer, written: { ...written, why: `${written.why}, and ${there}` } }
  return { ...answer, written: { type: 'done', record: undefined, id, quoted: () => undefined } }
}

function judged(outcome: Answer | Failure, { judge, shownIn }: Pick<WriteCall, 'judge' | 'shownIn'>): Answer | Failure {
  return isFailure(outcome) ? outcome : { ...outcome, written: judge(outcome), ...(shownIn && { shownIn }) }
}

function upsertOf(field: string, fields: JsonObject, { resource }: Write, { document }: Connector) {
  const described = document.resources[resource]
  return described && { field, value: keyValue(field, fields[field] ?? null, described) }
}
