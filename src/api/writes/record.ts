import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject } from '../../core/json.ts'
import { findByIds, idOnLine } from '../../core/record-ids.ts'
import { isMadeSince, MADE_UNKNOWN } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import {
  ADDRESS_HINT,
  callError,
  doubtHint,
  isConflictStatus,
  lookHint,
  lookUpFailure,
  onceError,
} from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Page } from '../operations.ts'
import type { Answer } from '../transport/answer.ts'
import type { Call } from '../transport/call.ts'
import { idempotencyKeyOf } from '../transport/headers.ts'
import type { Http } from '../transport/http.ts'
import { lossText } from './judge-write.ts'
import { doubtFailure } from './outcome-failure.ts'
import type { WriteKind, WriteOutcome } from './write.ts'

export interface WriteCall extends Call {
  readonly kind: WriteKind
  /** What an answer means, as the connector declares. */
  readonly judge: (answer: Answer) => WriteOutcome
  /** The values that were sent, as this record shows them where it has them. */
  readonly shownIn?: (record: JsonObject) => JsonObject
  /** For a deletion: undefined if the record is gone, else a clause with the reason why that is not known. */
  readonly whyNotGone?: () => Promise<string | undefined>
  /** Of an update that replaces the record: reads it, and names what it lost; undefined if nothing. */
  readonly lostMembers?: () => Promise<string | undefined>
  /** Reads the record; undefined if it does not exist. */
  readonly read?: () => Promise<CrmRecord | undefined>
  /** The list that has the record. */
  readonly list?: () => AsyncIterable<Page>
}

/**
 * A write whose answer is one record. CrmError `in_doubt` for a 2xx that is not what the connector declares,
 * `bad_answer`, with the idempotency key for a repetition, if the id is needed and the record has none.
 */
export async function requestRecord(http: Http, call: WriteCall): Promise<CrmRecord> {
  const idempotencyKey = idempotencyKeyOf(call)
  const { record, status } = await requestWrite(http, { ...call, idempotencyKey })
  if (!(call.isIdNeeded && idOnLine(record.id) === undefined)) return record
  const asked = oneLine(call.action, 200)
  const shown = oneLine(JSON.stringify(record), 60)
  const message = `cannot show the id: the server confirmed "${asked}" (${status}) without one: ${shown}`
  throw new CrmError('bad_answer', message, {
    hint: doubtHint(call, idempotencyKey, http.keys, ' -o json'),
    status,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

interface Written {
  readonly record: CrmRecord
  readonly status: number
}

/** A write that is done, and its record; empty if the answer does not show it. */
export async function requestWrite(http: Http, call: WriteCall): Promise<Written> {
  const received = await answerTo(http, call)
  if (!('headers' in received)) return received
  const outcome = call.judge(received)
  const { status } = received
  if (outcome.type === 'done') {
    // The update is done, whether the record can be read or not.
    const members = await call.lostMembers?.().catch(notRead)
    if (members !== undefined) throw lossError(call, lossText(members), status)
    return { record: outcome.record ?? {}, status }
  }
  if (outcome.isLost) throw lossError(call, outcome.why, status)
  const there = await call.whyNotGone?.()
  if (call.whyNotGone && there === undefined) return { record: {}, status }
  const failure = doubtFailure(received, outcome, call.showCommand ?? call.findCommand ?? ADDRESS_HINT)
  const doubt = there === undefined ? failure : { ...failure, reason: `${failure.reason}; ${there}` }
  const { idempotencyKey } = call
  const { keys } = http
  if (call.kind === 'create' && !keys.isKept) throw onceError(call, doubt, { tries: 1, keys })
  throw callError(call, doubt, { tries: 1, isInDoubt: true, idempotencyKey, keys })
}

function notRead(error: unknown): undefined {
  if (!(error instanceof CrmError)) throw error
}

function lossError({ action, showCommand, findCommand }: WriteCall, why: string, status: number): CrmError {
  return new CrmError('partial', `cannot ${oneLine(action, 200)} wholly: ${why}`, {
    hint: `${showCommand ?? findCommand ?? ADDRESS_HINT}; an update by PATCH would not send the rest of the record`,
    status,
  })
}

/** A conflict after a try whose answer was lost: the record shows whether that try took effect. */
async function answerTo(http: Http, call: WriteCall): Promise<Answer | Written> {
  try {
    return await http.request(call)
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'in_doubt' || call.recordId === undefined) throw error
    const { status = 0 } = error.details
    if (!isConflictStatus(status)) throw error
    const found = await lookAfter(call, call.recordId)
    if (typeof found !== 'string') return { record: found, status }
    throw new CrmError('in_doubt', `${error.message}; ${found}`, error.details)
  }
}

/** The record with the values sent, empty after a deletion; or a clause with the reason why the outcome is unknown. */
async function lookAfter(call: WriteCall, id: string): Promise<CrmRecord | string> {
  let isAnyListed = false
  try {
    const shown = await call.read?.().catch(notOffered)
    const pages = async function* () {
      for await (const page of call.list?.() ?? []) {
        isAnyListed ||= page.items.length > 0
        yield page
      }
    }
    const record = shown ?? (await findByIds(pages(), [id])).get(id)
    if (!record) return call.kind === 'delete' && isAnyListed ? {} : 'the record is not listed'
    if (call.kind === 'delete') return 'the record is still there'
    return Object.keys(changedMembers(record, call.body ?? {})).length === 0
      ? record
      : 'the record does not have the values that were sent'
  } catch (error) {
    return lookUpFailure(error)
  }
}

/** The list shows what no request for one record does. */
function notOffered(error: unknown): undefined {
  if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
}

/** The wait before reading the list, which may lag behind writes. */
const LIST_LAG_MS = 2000

interface Create extends WriteCall {
  readonly body: JsonObject
  readonly lookCommand: string
}

/**
 * A create of a record that can be listed. If it is in doubt and must not be repeated, the list is read once: a single
 * record with the same values, created since, is the result; otherwise CrmError `in_doubt`.
 */
export async function createRecord(http: Http, call: Create, list: () => AsyncIterable<Page>): Promise<CrmRecord> {
  const started = http.mark()
  try {
    return await requestRecord(http, call)
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'in_doubt') throw error
    await http.pause(LIST_LAG_MS, call.signal)
    if (call.signal?.aborted) throw error
    const found = await lookFor({ body: call.body, started }, list)
    if (typeof found !== 'string') return found
    throw new CrmError('in_doubt', `${error.message}; ${found}`, {
      ...error.details,
      ...(http.keys.isKept ? {} : { hint: lookHint(call, http.keys) }),
    })
  }
}

/** For a create: the command that lists records with its email or name. */
export function lookCommand(command: string, body: JsonObject): string {
  const noun = command.replace(/ create$/, ' list')
  const name = ['email', 'name'].find((each) => typeof body[each] === 'string')
  return name === undefined ? noun : `${noun} --where ${shellWord(`.${name} == ${JSON.stringify(body[name])}`)}`
}

/** The record, or a clause with the reason why it is unknown. */
async function lookFor(
  { body, started }: { readonly body: JsonObject; readonly started: () => number },
  list: () => AsyncIterable<Page>,
): Promise<CrmRecord | string> {
  const same: CrmRecord[] = []
  try {
    for await (const { items } of list()) {
      for (const record of items) if (hasSameValues(record, body)) same.push(record)
    }
  } catch (error) {
    return lookUpFailure(error)
  }
  // The server's clock is known from the answers of the list.
  const sinceMs = started()
  const since = same.filter((record) => isMadeSince(record, sinceMs) !== false)
  const [only, ...others] = since
  if (!only) return 'no record with the same values is listed yet'
  if (others.length > 0) return `${since.length} records have the same values: ${since.map(idOf).join(', ')}`
  if (isMadeSince(only, sinceMs)) return only
  return `${idOf(only)} has the same values, and ${MADE_UNKNOWN}`
}

function hasSameValues(record: CrmRecord, body: JsonObject): boolean {
  return Object.keys(changedMembers(record, body)).length === 0
}

function idOf({ id }: CrmRecord): string {
  return idText(id) ?? 'one without an id'
}
