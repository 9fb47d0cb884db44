import { CrmError } from '../../core/errors.ts'
import { idOnLine } from '../../core/id-line.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { callError, onceError, repeatHint } from '../errors/failed-call.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Call } from '../transport/call.ts'
import { idempotencyKeyOf } from '../transport/headers.ts'
import type { Http } from '../transport/http.ts'
import { judgeWrite, type WriteOutcome } from './judge-write.ts'
import { outcomeFailure } from './outcome-failure.ts'

const KINDS = { POST: 'create', PATCH: 'update', DELETE: 'delete' } as const

export interface WriteCall extends Call {
  readonly method: keyof typeof KINDS
  /** The id of the changed record. */
  readonly recordId?: string
}

/**
 * A write whose answer is one record. CrmError `rejected` for a refusal within a 2xx, `in_doubt` for an ambiguous 2xx,
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
    hint: idempotencyKey === undefined ? `${call.command} --help` : repeatHint(call, idempotencyKey, ' -o json'),
    status,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

/** A write that is done, and its record; empty if the answer does not show it. */
export async function requestWrite(
  http: Http,
  call: WriteCall,
): Promise<{ readonly record: CrmRecord; readonly status: number }> {
  const answer = await http.request(call)
  const outcome = judgeWrite(answer, {
    kind: KINDS[call.method],
    sent: () => call.body,
    id: call.recordId,
    path: call.path,
  })
  if (outcome.type === 'done') return { record: outcome.record ?? {}, status: answer.status }
  const failure = outcomeFailure(answer, outcome, hintOf(call, outcome))
  const { idempotencyKey } = call
  if (failure.isInDoubt && call.method === 'POST' && !http.areKeysKept()) throw onceError(call, failure, 1)
  throw callError(call, failure, { tries: 1, isInDoubt: failure.isInDoubt, idempotencyKey })
}

function hintOf(call: WriteCall, outcome: WriteOutcome): string {
  if (outcome.type === 'refused') return `${call.command} --help`
  return call.showCommand ?? call.findCommand ?? ADDRESS_HINT
}
