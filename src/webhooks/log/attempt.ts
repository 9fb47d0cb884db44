import { isJsonObject, jsonIn } from '../../core/json.ts'
import type { ForwardResult } from '../../core/webhook-events.ts'
import { type ProcessOwner, thisProcess } from '../../files/processes.ts'

/** One try at forwarding an event, as a line of the log records it. */
export interface KeptAttempt
  extends Pick<ForwardResult, 'type' | 'id' | 'target' | 'status' | 'failure' | 'attempt' | 'tookMs' | 'response'> {
  readonly receivedAtMs: number
  readonly startedAtMs: number
  /** The listener, or the replay, that made it. */
  readonly run: string
  /** Of an event that waits: the process that is to forward it. */
  readonly owner?: ProcessOwner | undefined
}

/** `failure` of an event that was acknowledged and waits to be forwarded, which is attempt 0. */
export const NOT_FORWARDED = 'acknowledged, and never forwarded'

/** Lines of a kind begin with it, so that they are recognised without parsing; events have no `type`. */
const KIND_AT_START = '{"v":1,"type":'
const ATTEMPT_AT_START = `${KIND_AT_START}"attempt",`

/** Of an answer; those of apps that fail are often pages of HTML. */
const LONGEST_ANSWER = 1000

/** A line of the log without its line end; docs/event-log.md lists the members. */
export function attemptText(result: ForwardResult, run: string): string {
  return JSON.stringify({
    v: 1,
    type: 'attempt',
    id: result.id ?? null,
    received_at: new Date(result.receivedAtMs).toISOString(),
    run,
    by: result.type === 'forwarded' ? 'url' : 'command',
    target: result.target,
    status: result.status ?? null,
    failure: result.failure ?? null,
    attempt: result.attempt,
    started_at: new Date(result.startedAtMs).toISOString(),
    took_ms: result.tookMs,
    answer: result.response?.slice(0, LONGEST_ANSWER).toWellFormed() ?? null,
    ...(result.attempt === 0 && { owner: thisProcess() }),
  })
}

/** A line that is not an event, of this version or of a later one. */
export function isOtherLine(line: Buffer): boolean {
  return line.toString('latin1', 0, KIND_AT_START.length) === KIND_AT_START
}

/** Undefined for any other line, and for a damaged one. */
export function parseAttempt(line: Buffer): KeptAttempt | undefined {
  if (line.toString('latin1', 0, ATTEMPT_AT_START.length) !== ATTEMPT_AT_START) return undefined
  const entry = jsonIn(line.toString())
  if (!isJsonObject(entry)) return undefined
  const { id, run, target, attempt, took_ms: tookMs } = entry
  const [receivedAtMs, startedAtMs] = [entry.received_at, entry.started_at].map((time) => Date.parse(String(time)))
  if (typeof run !== 'string' || typeof target !== 'string' || !receivedAtMs || !startedAtMs) return undefined
  return {
    type: entry.by === 'command' ? 'executed' : 'forwarded',
    id: textIn(id),
    receivedAtMs,
    startedAtMs,
    run,
    target,
    status: typeof entry.status === 'number' ? entry.status : undefined,
    failure: textIn(entry.failure),
    attempt: typeof attempt === 'number' ? attempt : 1,
    tookMs: typeof tookMs === 'number' ? tookMs : 0,
    response: textIn(entry.answer),
    owner: isJsonObject(entry.owner) ? (entry.owner as unknown as ProcessOwner) : undefined,
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
