import { randomUUID } from 'node:crypto'
import { CrmError } from '../../core/errors.ts'
import { hasOperation, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import { type Edit, putRow, rowId } from '../list/list-state.ts'
import { SEARCHED, type ServerList } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { countedParts, recordName } from '../text/change-text.ts'
import type { Kept } from './kept.ts'
import { leadOf, lookText, type Notices } from './notices.ts'
import { stagedEdits, unstageSent } from './staging.ts'
import type { UnderWay } from './under-way.ts'
import type { Writes } from './writes.ts'

/** The defaults of the commands, which leave a part of the rate limit to other clients. */
export const TERMS: RunTerms = { concurrency: undefined, rateShare: 0.8, maxErrors: undefined, maxOutageMs: 600_000 }

/** Sends the staged edits. Rejected ones stay staged, with the reason in the log. */
export type Commit = (name: ServerList) => Promise<void>

interface Parts {
  readonly store: StateStore<State>
  readonly writes: Writes
  readonly notices: Notices
  readonly openJobs: () => Promise<Jobs>
  readonly underWay: UnderWay
  /** `contacts con_1` for each record whose edits are in a job, and so are not kept for the next start. */
  readonly ofJob: Set<string>
  readonly kept: Pick<Kept, 'settle'>
}

export function createCommit(parts: Parts): Commit {
  const { store, notices, underWay } = parts
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
      await underWay.track(`${countedParts({ update: edits.length }).join('')} of ${name}`, () =>
        hasOperation(resourceOf(name), 'update') ? sendAsJob(parts, name, edits) : sendOneByOne(parts, name, edits),
      )
    } catch (error) {
      notices.problem(error, 'Not sent: ')
    } finally {
      markSending(name, [])
    }
  }
}

async function sendAsJob(
  { store, notices, openJobs, ofJob, kept }: Parts,
  name: ServerList,
  edits: readonly Edit[],
): Promise<void> {
  const sent = await sendEdits(await openJobs(), name, edits, {
    onMade: () => {
      for (const { row } of edits) ofJob.add(`${name} ${rowId(row) ?? ''}`)
      // The job is on disk, so the kept changes no longer need these edits.
      kept.settle()
    },
    onDone: (edit) => {
      forget(store, name, edit)
      // The new version is unknown, and the next edit must not depend on the old one.
      const { version: _, ...row } = { ...edit.row, ...edit.patch }
      store.update((state) => withList(state, name, (list) => putRow(list, row, SEARCHED[name])))
    },
  }).finally(() => ofJob.clear())
  // They are in the job: as staged edits the next commit would send them again.
  for (const edit of sent.left) forget(store, name, edit)
  const refused = sent.notDone > 0 ? `, ${sent.notDone} not: they stay edited, 5 shows the job` : ''
  const left = sent.left.length > 0 ? `, ${sent.left.length} left to ${sent.jobId}` : ''
  const undo = sent.done > 0 ? `; crm jobs undo ${sent.jobId} reverts what was saved` : ''
  notices[sent.notDone + sent.left.length > 0 ? 'wait' : 'done'](`${sent.done} saved${refused}${left}${undo}`)
  if (sent.error !== undefined) notices.problem(sent.error, '')
}

/** Jobs send what the contract updates; others are sent by GraphQL, one at a time. */
async function sendOneByOne(
  { store, writes, notices }: Parts,
  list: ServerList,
  edits: readonly Edit[],
): Promise<void> {
  let done = 0
  for (const edit of edits) {
    try {
      await writes.update(list, edit.row, edit.patch, false)
      forget(store, list, edit)
      done++
    } catch (error) {
      const name = recordName(edit.row)
      notices.problem(
        error,
        leadOf(error, {
          failed: `${name} not saved: `,
          open: `Update of ${name} (${lookText(list, rowId(edit.row) ?? '')}): `,
        }),
      )
      if (error instanceof CrmError && error.code === 'interrupted') break
    }
  }
  if (done === edits.length) return notices.done(`${done} saved`)
  notices.wait(`${done} saved, ${edits.length - done} not: they stay edited`)
}

function forget(store: StateStore<State>, name: ServerList, edit: Edit): void {
  store.update((state) => withList(state, name, (list) => unstageSent(list, edit)))
}

interface Sent {
  readonly jobId: string
  readonly done: number
  readonly notDone: number
  /** Not sent or without an answer: for `crm jobs resume`. */
  readonly left: readonly Edit[]
  /** Why it stopped; undefined when every row was done. */
  readonly error: unknown
}

/** Sends edits as a job, which can be resumed, and reverted with `crm jobs undo`. */
async function sendEdits(
  jobs: Jobs,
  noun: ServerList,
  edits: readonly Edit[],
  { onMade, onDone }: { readonly onMade: () => void; readonly onDone: (edit: Edit) => void },
): Promise<Sent> {
  const { paths } = await jobs.make({ kind: 'update', noun, run: randomUUID(), of: undefined }, async (builder) => {
    for (const { row, patch } of edits) {
      const id = rowId(row) ?? ''
      const ifMatch = typeof row.version === 'number' ? { ifMatch: String(row.version) } : {}
      builder.add({
        do: 'update',
        path: `${RESOURCES[resourceOf(noun)].path}/${encodeURIComponent(id)}`,
        id,
        body: patch,
        before: row,
        ...ifMatch,
      })
    }
  })
  onMade()
  const byId = new Map(edits.map((edit) => [rowId(edit.row), edit]))
  const ended = new Set<Edit>()
  const hooks: RunHooks = {
    onStart: () => {},
    onPause: () => {},
    onEnd: ({ operation }, outcome) => {
      const edit = byId.get(operation.head.id)
      if (edit) ended.add(edit)
      if (edit && outcome.type === 'done') onDone(edit)
    },
  }
  const error: unknown = await jobs.run(paths, TERMS, hooks).then(
    (result) => result.error,
    (thrown: unknown) => thrown,
  )
  const { state, account } = await jobs.state(paths)
  // The job never began: the edits stay staged, so the job must not send them as well.
  if (state === 'planned') {
    jobs.drop(paths)
    throw error
  }
  const left = state === 'stopped' || state === 'running' ? edits.filter((edit) => !ended.has(edit)) : []
  return {
    ...{ jobId: paths.id, done: account.done, notDone: account.rows - account.done - left.length, left },
    error: left.length === 0 && isInterrupted(error) ? undefined : error,
  }
}

/** A job with an answer to every row has nothing to resume. */
function isInterrupted(error: unknown): boolean {
  return error instanceof CrmError && error.code === 'interrupted'
}
