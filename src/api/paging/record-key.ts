import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** What servers call the id of a record itself; a name such as `account_id` may be that of another one. */
const ID_NAMES = ['id', '_id', 'Id', 'ID', '$id', 'uuid', 'guid', 'gid', 'objectId', 'documentId']

/** What tells a record from the others of its list; undefined where it has no id. MongoDB: `{"$oid": "..."}`. */
export function recordKey(record: CrmRecord): JsonValue | undefined {
  for (const name of ID_NAMES) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    if (value === undefined || value === null) continue
    return isJsonObject(value) ? value.$oid : value
  }
  return undefined
}
