import { isJsonObject, type JsonValue } from '../../core/json.ts'

/** Whether a 2xx states at its top that the request was refused: `success: false`, `ok: false`, or `errors` with something in it. */
export function statesRefusal(json: JsonValue | undefined): boolean {
  if (!isJsonObject(json)) return false
  const { success, ok, errors = null } = json
  return (
    success === false ||
    ok === false ||
    (typeof errors === 'object' ? Object.keys(errors ?? {}).length > 0 : Boolean(errors))
  )
}
