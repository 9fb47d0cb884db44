import { isJsonObject, type JsonObject } from '../core/json.ts'
import { damaged } from './document.ts'

/** A key as it is kept: it belongs to the origin it was stored for and is never sent to another. */
export interface StoredKey {
  readonly origin: string
  readonly key: string
}

/** CrmError `invalid_input` when the file holds something else under the name; what, is not said. */
export function readStoredKey(document: JsonObject, name: string, path: string): StoredKey | undefined {
  if (!Object.hasOwn(document, name)) return undefined
  const entry = document[name]
  if (isJsonObject(entry) && typeof entry.origin === 'string' && typeof entry.key === 'string') {
    return { origin: entry.origin, key: entry.key }
  }
  throw damaged(path, `${name} is not an object with origin and key`)
}
