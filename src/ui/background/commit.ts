import { CrmError } from '../../core/errors.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { type Edit, putRow, rowId } from '../list/list-state.ts'
import type { ServerList } from '../screens.ts'
import { SEARCHED } from '../screens.ts'
import type { Store } from '../state.ts'
import { type State, withList } from '../state.ts'
import { nameOf } from '../text/change-text.ts'
import { sendEdits } from './bulk.ts'
import type { Kept } from './kept.ts'
import { leadOf, lookText, type Notices } from './notices.ts'
import { stagedEdits, unstageSent } from './staging.ts'
import type { UnderWay } from './under-way.ts'
import type { Writes } from './writes.ts'

/** Sends the staged edits. Rejected ones stay staged, with the reason in the log. */
export type Commit = (name: ServerList) => Promise<void>

interface Parts {
  readonly store: Store<State>
  readonly writes: Writes
  readonly notices: Notices
  readonly openJobs: () => Promise<Jobs>
  readonly underWay: UnderWay
  /** Ids of contacts whose edits are in a job, and so are not kept for the next start. */
  readonly ofJob: Set<string>
  readonly kept: Pick<Kept, 'settle'>
}

export function createCommit({ store, writes, notices, openJobs, underWay, ofJob, kept }: Parts): Commit {
  const forget = (name: ServerList, edit: Edit) =>
    store.update((state) => withList(state, name, (list) => unstageSent(list, edit)))

  async function sendAsJob(edits: readonly Edit[]): Promise<void> {
    const sent = await sendEdits(await openJobs(), edits, {
      onMade: () => {
        for (const { row } of edits) ofJob.add(rowId(row) ?? '')
        // The job is on disk, so the kept changes no longer need these edits.
        kept.settle()
      },
      onDone: (edit) => {
        forget('contacts', edit)
        // The new version is unknown, and the next edit must not depend on the old one.
        const { version: _, ...row } = { ...edit.row, ...edit.patch }
        store.update((state) => withList(state, 'contacts', (list) => putRow(list, row, SEARCHED.contacts)))
      },
    }).finally(() => ofJob.clear())
    // They are in the job: as staged edits the next commit would send them again.
    for (const edit of sent.left) forget('contacts', edit)
    const refused = sent.notDone > 0 ? `, ${sent.notDone} not: they stay edited, 5 shows the job` : ''
    const left = sent.left.length > 0 ? `, ${sent.left.length} left to ${sent.jobId}` : ''
    const undo = sent.done > 0 ? `; crm jobs undo ${sent.jobId} reverts what was saved` : ''
    notices[sent.notDone + sent.left.length > 0 ? 'wait' : 'done'](`${sent.done} saved${refused}${left}${undo}`)
    if (sent.error !== undefined) notices.problem(sent.error, '')
  }

  /** Deals are sent by GraphQL, one at a time. */
  async function sendOneByOne(edits: readonly Edit[]): Promise<void> {
    let done = 0
    for (const edit of edits) {
      try {
        await writes.update('deals', edit.row, edit.patch, false)
        forget('deals', edit)
        done++
      } catch (error) {
        const name = nameOf(edit.row)
        notices.problem(
          error,
          leadOf(error, {
            failed: `${name} not saved: `,
            open: `Update of ${name} (${lookText('deals', rowId(edit.row) ?? '')}): `,
          }),
        )
        if (error instanceof CrmError && error.code === 'interrupted') break
      }
    }
    if (done === edits.length) return notices.done(`${done} saved`)
    notices.wait(`${done} saved, ${edits.length - done} not: they stay edited`)
  }

  const markSending = (name: ServerList, ids: readonly string[]) =>
    store.update((state) => withList(state, name, (list) => ({ ...list, sending: new Set(ids) })))

  return async (name) => {
    // Edits that are being sent must not be sent again.
    if (store.get().lists[name].sending.size > 0)
      return notices.wait(`Edits of ${name} are being sent; press w again after that`)
    const edits = stagedEdits(store.get().lists[name])
    if (edits.length === 0) return
    markSending(
      name,
      edits.map(({ row }) => rowId(row) ?? ''),
    )
    try {
      await underWay.track(`${edits.length} ${edits.length === 1 ? 'update' : 'updates'} of ${name}`, () =>
        name === 'contacts' ? sendAsJob(edits) : sendOneByOne(edits),
      )
    } catch (error) {
      notices.problem(error, 'Not sent: ')
    } finally {
      markSending(name, [])
    }
  }
}
