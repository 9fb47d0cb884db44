import { isJsonObject } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import type { Received } from '../../core/webhook-events.ts'
import { rowId, withValues } from '../list/list-state.ts'
import { type ServerList, serverLists } from '../screens.ts'
import { type State, withList } from '../state.ts'

/** What an event says of a record. */
export interface EventRecord {
  readonly name: ServerList
  readonly isNew: boolean
  readonly record: CrmRecord
}

/** Undefined for what nobody signed, for repeated events, and for events without a record of a list. */
export function changedRecordIn(event: Received): EventRecord | undefined {
  if (event.type !== 'event' || !event.isVerified || event.isDuplicate || event.body.type !== 'json') return undefined
  const [resource, what] = event.name?.split('.') ?? []
  const name = serverLists().find((each) => resourceOf(each) === resource)
  const record = isJsonObject(event.body.value) ? event.body.value.data : undefined
  if (!name || !isJsonObject(record) || rowId(record) === undefined) return undefined
  return what === 'created' || what === 'updated' ? { name, isNew: what === 'created', record } : undefined
}

/** Rows take the values of their events in place; others are counted, unless only the server knows whether its filter finds them. */
export function withEventRecords(state: State, events: readonly EventRecord[]): State {
  return events.reduce(
    (before, { name, isNew, record }) =>
      withList(before, name, (list) => {
        const id = rowId(record)
        if (list.rows.some((row) => rowId(row) === id)) {
          return withValues(list, (row) =>
            rowId(row) === id && !isOlder(record, row) ? { ...row, ...record } : undefined,
          )
        }
        const isCounted = isNew && list.readAtMs !== undefined && Object.keys(list.serverFilters).length === 0
        return isCounted ? { ...list, news: list.news + 1 } : list
      }),
    state,
  )
}

/** Events may arrive late, and in another order. */
function isOlder(record: CrmRecord, row: CrmRecord): boolean {
  return recordTimeMs(record.updated_at) < recordTimeMs(row.updated_at)
}
