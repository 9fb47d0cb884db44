import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources.ts'
import type { Call } from './call.ts'
import { repeatHint } from './failed-call.ts'
import { idempotencyKeyOf } from './headers.ts'
import type { Http } from './http.ts'
import { oneLine } from './one-line.ts'

/**
 * A call that answers with one record, bare or wrapped in `data`. CrmError `bad_answer` when the server took it and shows
 * no record: it says so, and brings the key under which the write may be sent again without happening twice.
 */
export async function requestRecord(http: Http, call: Call): Promise<CrmRecord> {
  const idempotencyKey = idempotencyKeyOf(call)
  const { json, status } = await http.request({ ...call, idempotencyKey })
  if (isJsonObject(json)) return isJsonObject(json.data) && !('id' in json) ? json.data : json
  const asked = oneLine(call.action, 200)
  const message = `cannot show the record: the server took "${asked}" as done (${status}), but answered with ${nameOf(json)}`
  throw new CrmError('bad_answer', message, {
    hint: idempotencyKey === undefined ? `${call.command} --help` : repeatHint(call, idempotencyKey),
    status,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

function nameOf(json: JsonValue | undefined): string {
  if (json === undefined) return 'nothing'
  return Array.isArray(json) ? 'a list' : oneLine(JSON.stringify(json), 60)
}
