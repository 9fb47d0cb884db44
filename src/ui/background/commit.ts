import { randomUUID } from 'node:crypto'
import { hasOperation, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { type Edit, rowId } from '../list/list-state.ts'
import type { ServerList } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { countedParts } from '../text/change-text.ts'
import { plainJson } from '../text/command-words.ts'
import { createBatches } from './batches.ts'
import type { DoneCommands } from './done-commands.ts'
import type { Kept } from './kept.ts'
import type { Notices } from './notices.ts'
import { sendEach } from './one-by-one.ts'
import type { FindRecords } from './restore-kept.ts'
import { isInterrupted, sendInBackground } from './send-job.ts'
import { showConflicts } from './show-conflicts.ts'
import { stagedEdits, withoutStaged, withSaved } from './staging.ts'
import type { History, TrackedRows, UnderWay } from './under-way.ts'
import type { Writes } from './writes.ts'

/** Sends the staged edits, or only some of them. Rejected ones stay staged, with the reason in the log. */
export type Commit = (name: ServerList, only?: readonly Edit[]) => Promise<void>

interface Parts {
  readonly store: StateStore<State>
  readonly writes: Writes
  readonly notices: Notices
  readonly commands: DoneCommands
  readonly openJobs: () => Promise<Jobs>
  readonly underWay: UnderWay
  readonly history: History
  /** `contacts con_1` for each record whose edits are in a job, and so are not kept for the next start. */
  readonly ofJob: Set<string>
  readonly kept: Pick<Kept, 'settle'>
  readonly findRecords: FindRecords
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
}

export function createCommit(parts: Parts): Commit {
  const { store, notices, underWay } = parts
  const markSending = (name: ServerList, ids: readonly string[]) =>
    store.update((state) => withList(state, name, (list) => ({ ...list, sending: new Set(ids) })))

  return async (name, only) => {
    // Edits that are being sent must not be sent again.
    if (store.get().lists[name].sending.size > 0)
      return notices.wait(`Edits of ${name} are being sent; press w again after that`)
    const edits = only ?? stagedEdits(store.get().lists[name])
    if (edits.length === 0) return
    markSending(
      name,
      edits.map(({ row }) => rowId(row) ?? ''),
    )
    const what = `${countedParts({ update: edits.length }).join('')} of ${name}`
    const conflicts: Edit[] = []
    const isJob = hasOperation(resourceOf(name), 'update')
    try {
      await underWay.trackRows(what, (rows) =>
        (isJob ? sendAsJob : sendOneByOne)(parts, { name, rows, edits, conflicts }),
      )
      await showConflicts(parts, name, conflicts)
    } catch (error) {
      notices.problem(error, 'Not sent: ')
    } finally {
      markSending(name, [])
    }
  }
}

interface ToSend {
  readonly name: ServerList
  readonly rows: TrackedRows
  readonly edits: readonly Edit[]
  /** Gets those that were refused because others changed their records. */
  readonly conflicts: Edit[]
}

async function sendAsJob(parts: Parts, toSend: ToSend): Promise<void> {
  const { store, notices, commands, history, ofJob, kept, signal } = parts
  const saved: Edit[] = []
  const { name, edits } = toSend
  const sent = await sendEdits(parts, toSend, {
    onMade: () => {
      for (const { row } of edits) ofJob.add(`${name} ${rowId(row) ?? ''}`)
      // The job is on disk, so the kept changes no longer need these edits.
      kept.settle()
    },
    onDone: (done) => {
      for (const edit of done) saved.push(edit)
      store.update((state) => withList(state, name, (list) => withSaved(list, done)))
    },
    onGone: (ids) =>
      store.update((state) => withList(state, name, (list) => ({ ...list, gone: new Set([...list.gone, ...ids]) }))),
  }).finally(() => ofJob.clear())
  // They are in the job: as staged edits the next commit would send them again.
  forget(store, name, sent.left)
  const refused = sent.notDone > 0 ? `, ${sent.notDone} not` : ''
  const left = sent.left.length > 0 ? `, ${sent.left.length} left to ${sent.jobId}` : ''
  // After a stop of the program, the error is printed with this command.
  const resume = !signal.aborted && isInterrupted(sent.error) ? `; ${sent.error.details.hint} goes on` : ''
  const undo = sent.done > 0 ? `; crm jobs undo ${sent.jobId} reverts what was saved` : ''
  if (sent.done > 0) history.add({ type: 'job', id: sent.jobId })
  addJobCommand(commands, { name, jobId: sent.jobId, edits: saved })
  const text = `${sent.done} saved${refused}${left}${resume}${undo}`
  if (sent.notDone > 0) notices.wait(text, '; those stay edited, 5 shows the job')
  else if (sent.left.length > 0) notices.wait(text)
  else notices.done(text, ', as does u')
  if (sent.error !== undefined) notices.problem(sent.error, '')
}

interface SavedEdits {
  readonly name: ServerList
  readonly jobId: string
  readonly edits: readonly Edit[]
}

/** One command for all that were saved; the name of the run keeps a script that is run twice from sending twice. */
function addJobCommand(commands: DoneCommands, { name, jobId, edits }: SavedEdits): void {
  if (edits.length === 0) return
  const words = [name, 'update', '--from', '-', '--format', 'jsonl', '--run-id', `again-${jobId}`, '--yes']
  commands.add(
    words,
    edits.map(({ row, patch }) => plainJson({ id: rowId(row) ?? '', ...patch })),
  )
}

/** What no job sends, one at a time. */
async function sendOneByOne(
  { store, writes, notices, history }: Parts,
  { name, rows, edits, conflicts }: ToSend,
): Promise<void> {
  const onSaved = (edit: Edit) => forget(store, name, [edit])
  const inverse = await sendEach(
    { save: (noun, row, patch) => writes.save(noun, row, patch, false), notices },
    { name, rows, edits, onSaved, conflicts },
  )
  const done = inverse.length
  if (done > 0) history.add({ type: 'edits', name, edits: inverse })
  if (done === edits.length) return notices.done(`${done} saved`, '; u takes them back')
  notices.wait(`${done} saved, ${edits.length - done} not`, ': they stay edited')
}

function forget(store: StateStore<State>, name: ServerList, edits: readonly Edit[]): void {
  if (edits.length > 0) store.update((state) => withList(state, name, (list) => withoutStaged(list, edits)))
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

interface SentHooks {
  readonly onMade: () => void
  /** Called for the edits since the last call. */
  readonly onDone: (edits: readonly Edit[]) => void
  /** Called for the ids of records that the server no longer has. */
  readonly onGone: (ids: readonly string[]) => void
}

/** Sends edits as a job, which can be resumed, and reverted with `crm jobs undo`. */
async function sendEdits(
  { openJobs }: Parts,
  { name: noun, rows, edits, conflicts }: ToSend,
  { onMade, onDone, onGone }: SentHooks,
): Promise<Sent> {
  const jobs = await openJobs()
  const { paths } = await makeJob(jobs, noun, edits)
  onMade()
  const byId = new Map(edits.map((edit) => [rowId(edit.row), edit]))
  const ended = new Set<Edit>()
  const shown = createBatches(onDone)
  const gone = createBatches(onGone)
  const error: unknown = await sendInBackground(rows, {
    ...{ jobs, paths },
    onEnd: ({ operation }, outcome) => {
      const edit = byId.get(operation.head.id)
      if (edit) ended.add(edit)
      if (edit && outcome.type === 'failed' && outcome.entry.code === 'precondition_failed') conflicts.push(edit)
      if (edit && outcome.type === 'done') shown.add(edit)
      if (edit && outcome.type === 'failed' && outcome.entry.code === 'not_found') gone.add(rowId(edit.row) ?? '')
    },
  }).then(
    (result) => result.error,
    (thrown: unknown) => thrown,
  )
  shown.close()
  gone.close()
  const { state, account } = await jobs.of(paths).state()
  // The job never began: the edits stay staged, so the job must not send them as well.
  if (state === 'planned') {
    jobs.of(paths).drop()
    throw error
  }
  const left = state === 'stopped' || state === 'running' ? edits.filter((edit) => !ended.has(edit)) : []
  return {
    ...{ jobId: paths.id, done: account.done, notDone: account.rows - account.done - left.length, left },
    // A job with an answer to every row has nothing to resume.
    error: left.length === 0 && isInterrupted(error) ? undefined : error,
  }
}

function makeJob(jobs: Jobs, noun: ServerList, edits: readonly Edit[]) {
  return jobs.make({ kind: 'update', noun, run: randomUUID(), of: undefined }, async (builder) => {
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
}
