import { CrmError } from '../core/errors.ts'
import { idOnLine } from '../core/id-line.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources.ts'
import type { Call } from './call.ts'
import { repeatHint } from './failed-call.ts'
import { idempotencyKeyOf } from './headers.ts'
import type { Http } from './http.ts'
import { oneLine } from './one-line.ts'

/**
 * A call that answers with one record, bare or wrapped in `data`. CrmError `bad_answer` when the server took it and shows
 * no record, or no id where one is needed: it says so, and brings the key under which the write may be sent again without happening twice.
 */
export async function requestRecord(http: Http, call: Call): Promise<CrmRecord> {
  const idempotencyKey = idempotencyKeyOf(call)
  const { json, status } = await http.request({ ...call, idempotencyKey })
  const record = isJsonObject(json) && isJsonObject(json.data) && !('id' in json) ? json.data : json
  const isShown = isJsonObject(record) && isRecord(record, call.body)
  if (isShown && !(call.isIdNeeded && idOnLine(record.id) === undefined)) return record
  const [wanted, more] = isShown ? ['its id', ' -o json'] : ['the record', '']
  const asked = oneLine(call.action, 200)
  const message = `cannot show ${wanted}: the server took "${asked}" as done (${status}), but answered with ${nameOf(json)}`
  throw new CrmError('bad_answer', message, {
    hint: idempotencyKey === undefined ? `${call.command} --help` : repeatHint(call, idempotencyKey, more),
    status,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

/** Ids go by many names; those of the request are no record's. */
const ID_NAME = /^(?:_?[iI][dD]|uuid|(?!request|trace|correlation)\w+(?:_id|I[dD]))$/
const TROUBLE_NAME = /^errors?$/

/** Servers also answer 2xx with `{"ok":true}` or an error. A record has an id, or holds one that has, or shows what was sent. */
function isRecord(answer: JsonObject, sent: JsonObject | undefined): boolean {
  if (answer.id !== undefined) return true
  const entries = Object.entries(answer).filter(([name]) => !TROUBLE_NAME.test(name))
  if (entries.length < Object.keys(answer).length) return false
  return entries.some(
    ([name, value]) =>
      ID_NAME.test(name) ||
      Object.hasOwn(sent ?? {}, name) ||
      (isJsonObject(value) && Object.keys(value).some((inner) => ID_NAME.test(inner))),
  )
}

function nameOf(json: JsonValue | undefined): string {
  if (json === undefined) return 'nothing'
  return Array.isArray(json) ? 'a list' : oneLine(JSON.stringify(json), 60)
}
