import { CrmError } from '../../core/errors.ts'
import { idOnLine } from '../../core/id-line.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { callError, onceError, repeatHint } from '../errors/failed-call.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Call } from '../transport/call.ts'
import { idempotencyKeyOf } from '../transport/headers.ts'
import type { Http } from '../transport/http.ts'
import { fateFailure } from './fate-failure.ts'
import { judgeWrite, type WriteFate } from './judge-write.ts'

const KINDS = { POST: 'create', PATCH: 'update', DELETE: 'delete' } as const

export interface WriteCall extends Call {
  readonly method: keyof typeof KINDS
  /** Of the record that is changed. */
  readonly recordId?: string
}

/**
 * A write that answers with one record. CrmError `rejected` for a refusal within a 2xx, `in_doubt` for a 2xx that does not
 * say what happened, `bad_answer` where the id is needed and the record has none: with the key under which it may be sent again.
 */
export async function requestRecord(http: Http, call: WriteCall): Promise<CrmRecord> {
  const idempotencyKey = idempotencyKeyOf(call)
  const { record, status } = await requestWrite(http, { ...call, idempotencyKey })
  if (!(call.isIdNeeded && idOnLine(record.id) === undefined)) return record
  const asked = oneLine(call.action, 200)
  const shown = oneLine(JSON.stringify(record), 60)
  const message = `cannot show its id: the server took "${asked}" as done (${status}), but answered with ${shown}`
  throw new CrmError('bad_answer', message, {
    hint: idempotencyKey === undefined ? `${call.command} --help` : repeatHint(call, idempotencyKey, ' -o json'),
    status,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

/** A write that is done, and what is known of its record; empty where the answer shows nothing of it. */
export async function requestWrite(
  http: Http,
  call: WriteCall,
): Promise<{ readonly record: CrmRecord; readonly status: number }> {
  const answer = await http.request(call)
  const fate = judgeWrite(answer, {
    kind: KINDS[call.method],
    sent: () => call.body,
    id: call.recordId,
    path: call.path,
  })
  if (fate.is === 'done') return { record: fate.record ?? {}, status: answer.status }
  const failure = fateFailure(answer, fate, hintOf(call, fate))
  const { idempotencyKey } = call
  if (failure.isInDoubt && call.method === 'POST' && !http.areKeysKept()) throw onceError(call, failure, 1)
  throw callError(call, failure, { tries: 1, isInDoubt: failure.isInDoubt, idempotencyKey })
}

function hintOf(call: WriteCall, fate: WriteFate): string {
  if (fate.is === 'refused') return `${call.command} --help`
  return call.showCommand ?? call.findCommand ?? ADDRESS_HINT
}
