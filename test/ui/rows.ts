import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { emptyList, type ListState, takePage } from '../../src/ui/list/list-state.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'

export function contact(number: number, fields: CrmRecord = {}): CrmRecord {
  return { id: `con_${number}`, name: `Name ${number}`, email: `p${number}@example.test`, ...fields }
}

export function contacts(count: number, from = 0): readonly CrmRecord[] {
  return Array.from({ length: count }, (_, index) => contact(from + index))
}

export function listOf(rows: readonly CrmRecord[], nextCursor?: string): ListState {
  return takePage(emptyList('name'), { items: rows, nextCursor, searched: searchedIn('contacts') })
}

/** What a server shows at a path: the contact, or a list without one. */
export function shownAt(path: string): object {
  const number = /\/con_(\d+)$/.exec(path)?.[1]
  return number === undefined ? { data: [], next_cursor: null } : contact(Number(number))
}
