import type { Page as ApiPage } from '../api/operations.ts'
import { idText } from '../core/json.ts'
import type { CrmRecord as AnyRecord } from '../core/resources/registry.ts'
import type { CrmRecord, Page, RecordList } from './calls.ts'
import { guardedItems } from './safe-errors.ts'

/** Each iteration is a list of its own, from the start. */
export function recordList(list: () => AsyncIterable<ApiPage>): RecordList {
  async function* pages(): AsyncGenerator<Page> {
    for await (const page of guardedItems(list)) yield { ...page, items: page.items.map(withTextId) }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items
    },
  }
}

export function withTextId(record: AnyRecord): CrmRecord {
  const id = idText(record.id)
  return (id === undefined ? record : { ...record, id }) as CrmRecord
}
