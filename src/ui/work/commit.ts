import { rowId } from '../list/list-state.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { nameOf } from './deletions.ts'
import type { ServerList } from './loading.ts'
import type { Notices } from './notices.ts'
import { unstage } from './staging.ts'
import type { Writes } from './writes.ts'

export type Commit = (name: ServerList) => Promise<void>

/** Row by row; what the server refuses stays edited, with its reason in the log, and the rest goes on. */
export function createCommit(store: Store<State>, writes: Writes, notices: Notices): Commit {
  return async (name) => {
    const { rows, staged } = store.get().lists[name]
    let done = 0
    let failed = 0
    for (const row of rows.filter((each) => staged.has(rowId(each) ?? ''))) {
      const id = rowId(row) ?? ''
      try {
        await writes.update(name, row, staged.get(id) ?? {}, false)
        store.update((state) => withList(state, name, (list) => unstage(list, id)))
        done++
      } catch (error) {
        failed++
        notices.problem(error, `${nameOf(row)} not saved: `)
      }
    }
    notices.done(`${done} saved${failed > 0 ? `, ${failed} not: they stay edited, ! shows why` : ''}`)
  }
}
