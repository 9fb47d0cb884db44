import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobNoun } from '../../jobs/plan/plan-format.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { type Edit, type ListState, removeRows, rowId } from '../list/list-state.ts'
import { type ServerList, serverLists } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import type { DiffLine } from '../text/diff-line.ts'
import { creationDiff, deletionDiff, editDiff } from '../text/plan-diff.ts'
import { createBatches } from './batches.ts'
import { withSaved } from './staging.ts'

/** An undo that is planned, and not sent. */
export interface PlannedUndo {
  readonly rows: number
  readonly diff: readonly DiffLine[]
  /** What is not reverted. */
  readonly lines: readonly string[]
  readonly noun: JobNoun
  readonly edits: readonly Edit[]
  readonly deleted: readonly string[]
  readonly paths: JobPaths
}

/** CrmError `conflict` when the job has not ended, was undone, or nothing of it can be reverted. */
export async function planUndo(jobs: Jobs, id: string): Promise<PlannedUndo> {
  const found = jobs.find(id)
  if (jobs.of(found).needed().length > 0) throw ofTwoJobs(id)
  const made = await jobs.plan('undo', { paths: found })
  if (made.type === 'same') throw undone(id, made.job.paths.id, made.job.state)
  if (made.type === 'refused') throw new Error('an undo has no input that could be refused')
  const { job, leftLines } = made
  const { paths } = job
  const edits: Edit[] = []
  const created: CrmRecord[] = []
  const deleted: CrmRecord[] = []
  for await (const { do: kind, id: recordId = '', before, body } of jobs.of(paths).changes()) {
    if (kind === 'create') created.push(body)
    else if (kind === 'delete') deleted.push(before ?? { id: recordId })
    else if (kind === 'update') edits.push({ row: before ?? { id: recordId }, patch: body })
  }
  const rows = edits.length + created.length + deleted.length
  if (rows === 0) {
    jobs.of(paths).drop()
    throw nothing(id, leftLines)
  }
  return {
    ...{ rows, lines: leftLines, noun: job.head.noun, edits, paths },
    diff: [...editDiff(edits), ...deletionDiff(deleted), ...creationDiff(created)],
    deleted: deleted.map((record) => String(record.id)),
  }
}

/** Sends it with `send`; the rows of its list show what was reverted. */
export async function sendUndo(
  store: StateStore<State>,
  { noun, edits, deleted }: PlannedUndo,
  send: (onEnd: RunHooks['onEnd']) => Promise<void>,
): Promise<void> {
  const name = serverLists().find((list) => list === noun)
  const change = (edit: (list: ListState, of: ServerList) => ListState) => {
    if (name) store.update((state) => withList(state, name, (list) => edit(list, name)))
  }
  const byId = new Map(edits.map((edit) => [rowId(edit.row), edit]))
  const gone = new Set(deleted)
  const saved = createBatches<Edit>((done) => change((list) => withSaved(list, done)))
  const removed = createBatches<string>((ids) => change((list) => removeRows(list, ids)))
  await send(({ operation: { head } }, { type }) => {
    const edit = byId.get(head.id)
    if (type === 'done' && edit) saved.add(edit)
    if (type === 'done' && head.id !== undefined && gone.has(head.id)) removed.add(head.id)
  })
  saved.close()
  removed.close()
}

function ofTwoJobs(id: string): CrmError {
  return new CrmError('conflict', `${id} is a merge that re-pointed records, and its undo is several jobs`, {
    hint: `crm jobs undo ${id}`,
    job: id,
  })
}

function undone(id: string, by: string, state: string): CrmError {
  const hint = state === 'finished' ? `undo ${by} to revert the undo` : `resume ${by} to send the rest of it`
  return new CrmError('conflict', `${id} was undone by ${by}, which is ${state}`, { hint, job: by })
}

function nothing(id: string, lines: readonly string[]): CrmError {
  return new CrmError('conflict', `nothing of ${id} can be reverted: ${lines.join(' ')}`, {
    hint: `crm jobs show ${id}`,
    job: id,
  })
}
