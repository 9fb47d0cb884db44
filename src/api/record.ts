import { CrmError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import type { CrmRecord } from '../core/resources.ts'
import { type Call, cannot } from './call.ts'
import { ADDRESS_HINT } from './failure.ts'
import type { Http } from './http.ts'

/** A call that answers with one record, bare or wrapped in `data`. */
export async function requestRecord(http: Http, call: Call): Promise<CrmRecord> {
  const { json, status } = await http.request(call)
  if (!isJsonObject(json)) {
    const came = json === undefined ? 'nothing' : Array.isArray(json) ? 'a list' : JSON.stringify(json).slice(0, 60)
    throw new CrmError('bad_answer', `${cannot(call)}: expected the record as answer, got ${came}`, {
      hint: ADDRESS_HINT,
      status,
    })
  }
  return isJsonObject(json.data) && !('id' in json) ? json.data : json
}
