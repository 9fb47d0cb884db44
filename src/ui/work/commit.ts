import type { Jobs } from '../../jobs/jobs.ts'
import { putRow, rowId } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { type Edit, sendEdits } from './bulk.ts'
import { nameOf } from './deletions.ts'
import type { ServerList } from './loading.ts'
import type { Notices } from './notices.ts'
import { unstage } from './staging.ts'
import type { Writes } from './writes.ts'

/** What the server refuses stays edited, with its reason in the log, and the rest goes on. */
export type Commit = (name: ServerList) => Promise<void>

interface Parts {
  readonly store: Store<State>
  readonly writes: Writes
  readonly notices: Notices
  readonly openJobs: () => Promise<Jobs>
}

export function createCommit({ store, writes, notices, openJobs }: Parts): Commit {
  const forget = (name: ServerList, { row }: Edit) =>
    store.update((state) => withList(state, name, (list) => unstage(list, rowId(row) ?? '')))

  async function sendAsJob(edits: readonly Edit[]): Promise<void> {
    const sent = await sendEdits(await openJobs(), edits, (edit) => {
      forget('contacts', edit)
      // The version that the server gave it is not known: the next edit is not bound to the old one.
      const { version: _, ...row } = { ...edit.row, ...edit.patch }
      store.update((state) => withList(state, 'contacts', (list) => putRow(list, row, SEARCHED.contacts)))
    })
    const rest = sent.notDone > 0 ? `, ${sent.notDone} not: they stay edited, 5 shows the job` : ''
    notices.done(`${sent.done} saved${rest}; crm jobs undo ${sent.jobId} takes them back`)
    if (sent.error !== undefined) notices.problem(sent.error, '')
  }

  /** Deals go over GraphQL, which jobs do not send. */
  async function sendOneByOne(edits: readonly Edit[]): Promise<void> {
    let done = 0
    for (const edit of edits) {
      try {
        await writes.update('deals', edit.row, edit.patch, false)
        forget('deals', edit)
        done++
      } catch (error) {
        notices.problem(error, `${nameOf(edit.row)} not saved: `)
      }
    }
    notices.done(
      `${done} saved${done < edits.length ? `, ${edits.length - done} not: they stay edited, ! shows why` : ''}`,
    )
  }

  return async (name) => {
    const { rows, staged } = store.get().lists[name]
    const edits = rows.flatMap((row) => {
      const patch = staged.get(rowId(row) ?? '')
      return patch ? [{ row, patch }] : []
    })
    try {
      await (name === 'contacts' ? sendAsJob(edits) : sendOneByOne(edits))
    } catch (error) {
      notices.problem(error, 'Not sent: ')
    }
  }
}
