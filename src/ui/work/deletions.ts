import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { safeText } from '../../output/safe-text.ts'
import { currentRow, removeRow, rowId, withId, withoutId } from '../list/list-state.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import type { Notices } from './notices.ts'

/** A deletion is for good, so it waits for this long and can be taken back. */
export const GRACE_MS = 6_000

export interface Deletions {
  add(rows: readonly CrmRecord[]): void
  /** The one under the cursor, else the last; false when none waits. */
  takeBack(): boolean
  /** Sends what waits, now. */
  flush(): Promise<void>
  /** Lets go of what waits; how many that were. */
  drop(): number
}

interface Waiting {
  readonly id: string
  readonly name: string
  readonly timer: NodeJS.Timeout
}

export function createDeletions(store: Store<State>, openApi: () => Promise<Api>, notices: Notices): Deletions {
  let waiting: readonly Waiting[] = []
  const sending = new Set<Promise<void>>()

  const leave = (id: string, isLeaving: boolean) =>
    store.update((state) =>
      withList(state, 'contacts', (list) => ({
        ...list,
        leaving: isLeaving ? withId(list.leaving, id) : withoutId(list.leaving, id),
      })),
    )

  async function send({ id, name }: Waiting): Promise<void> {
    try {
      const { contacts } = await openApi()
      await contacts.delete(id, { ifMatch: undefined })
      notices.done(`Deleted ${name}`)
    } catch (error) {
      if (!(error instanceof CrmError && error.code === 'not_found')) {
        leave(id, false)
        return notices.problem(error, `Not deleted: ${name}: `)
      }
      notices.done(`${name} was gone already`)
    }
    store.update((state) => withList(state, 'contacts', (list) => removeRow(list, id)))
  }

  function begin(each: Waiting): void {
    clearTimeout(each.timer)
    waiting = waiting.filter((other) => other !== each)
    const work = send(each).finally(() => sending.delete(work))
    sending.add(work)
  }

  return {
    add: (rows) => {
      for (const row of rows) {
        const id = rowId(row)
        if (id === undefined || waiting.some((each) => each.id === id)) continue
        const each: Waiting = {
          id,
          name: nameOf(row),
          timer: setTimeout(() => begin(each), GRACE_MS),
        }
        waiting = [...waiting, each]
        leave(id, true)
      }
      const what = rows.length === 1 ? nameOf(rows[0]) : `${rows.length} contacts`
      notices.wait(`${what}: deleted for good in ${GRACE_MS / 1000} s; u takes back, one at a time`)
    },
    takeBack: () => {
      const current = rowId(currentRow(store.get().lists.contacts))
      const chosen = waiting.find(({ id }) => id === current) ?? waiting.at(-1)
      if (!chosen) return false
      clearTimeout(chosen.timer)
      waiting = waiting.filter((each) => each !== chosen)
      leave(chosen.id, false)
      notices.done(`Kept ${chosen.name}${waiting.length > 0 ? `; ${waiting.length} more will be deleted` : ''}`)
      return true
    },
    flush: async () => {
      for (const each of waiting) begin(each)
      await Promise.all(sending)
    },
    drop: () => {
      const count = waiting.length
      for (const { timer } of waiting) clearTimeout(timer)
      waiting = []
      return count
    },
  }
}

/** What a person knows it by. */
export function nameOf(row: CrmRecord | undefined): string {
  const name = row && [row.name, row.email, row.id].find((value) => typeof value === 'string' && value !== '')
  return typeof name === 'string' ? safeText(name.slice(0, 60)) : 'it'
}
