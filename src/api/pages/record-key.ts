import { idText } from '../../core/exact-json.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** Names that can only be the id of the record itself: `account_id`, `gid` or `documentId` may be shared by several records. */
const ID_NAMES = ['_id', 'Id', 'ID', '$id', 'uuid', 'guid']

/** What tells a record from the others of its list; undefined where it has no id. MongoDB: `{"$oid": "..."}`. */
export function recordKey(record: CrmRecord): JsonValue | undefined {
  if (record.id !== undefined && record.id !== null) return record.id
  for (const name of ID_NAMES) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    const id = idText(isJsonObject(value) ? value.$oid : value)
    if (id !== undefined && id !== '' && id !== '0') return id
  }
  return undefined
}
