import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobNoun } from '../../jobs/plan/plan-format.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { type Edit, type ListState, putRow, removeRows, rowId, withSaved } from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import { type ServerList, serverLists } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import type { DiffLine } from '../text/diff-line.ts'
import { creationDiff, deletionDiff, editDiff } from '../text/plan-diff.ts'
import { createBatches } from './batches.ts'
import type { FindRecords } from './find-conflicts.ts'
import type { Lists } from './loading.ts'

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
  const { edits, created, restored, deleted } = changesIn(jobs, paths)
  const rows = edits.length + created.length + restored.length + deleted.length
  if (rows === 0) {
    jobs.of(paths).drop()
    throw nothing(id, leftLines)
  }
  return {
    ...{ rows, noun: job.head.noun, edits, paths },
    lines: [...(created.length > 0 ? ['They get new ids.'] : []), ...leftLines],
    diff: [
      ...editDiff(edits),
      ...deletionDiff(deleted),
      ...creationDiff([...created, ...namedAs(jobs, found, restored)]),
    ],
    deleted: deleted.map((record) => String(record.id)),
  }
}

function changesIn(jobs: Jobs, paths: JobPaths) {
  const edits: Edit[] = []
  const created: CrmRecord[] = []
  const restored: CrmRecord[] = []
  const deleted: CrmRecord[] = []
  for (const { do: kind, id = '', restores, before = { id }, body } of jobs.of(paths).changes()) {
    if (kind === 'create') created.push(body)
    else if (restores) restored.push({ id })
    else if (kind === 'delete') deleted.push(before)
    else if (kind === 'update') edits.push({ row: before, patch: body })
  }
  return { edits, created, restored, deleted }
}

/** Restored records as they were before the job that deleted them. */
function namedAs(jobs: Jobs, of: JobPaths, restored: readonly CrmRecord[]): readonly CrmRecord[] {
  if (restored.length === 0) return []
  const before = new Map(Array.from(jobs.of(of).changes(), (change) => [change.id, change.before]))
  return restored.map((record) => before.get(String(record.id)) ?? record)
}

interface SendParts {
  readonly store: StateStore<State>
  readonly findRecords: FindRecords
  readonly lists: Pick<Lists, 'reload'>
  readonly send: (onEnd: RunHooks['onEnd']) => Promise<void>
}

/** More records that exist again are shown by a reload. */
const MOST_FOUND = 200

/** Sends it; the rows of its list show what was reverted. */
export async function sendUndo(
  { noun, edits, deleted }: PlannedUndo,
  { store, findRecords, lists, send }: SendParts,
): Promise<void> {
  const name = serverLists().find((list) => list === noun)
  const change = (edit: (list: ListState, of: ServerList) => ListState) => {
    if (name) store.update((state) => withList(state, name, (list) => edit(list, name)))
  }
  const byId = new Map(edits.map((edit) => [rowId(edit.row), edit]))
  const gone = new Set(deleted)
  const again: string[] = []
  const saved = createBatches<Edit>((done) => change((list) => withSaved(list, done)))
  const removed = createBatches<string>((ids) => change((list) => removeRows(list, ids)))
  await send(({ operation: { head } }, outcome) => {
    if (outcome.type !== 'done') return
    const edit = byId.get(head.id)
    if (edit) saved.add(edit)
    else if (head.id !== undefined && gone.has(head.id)) removed.add(head.id)
    else again.push(outcome.id ?? head.id ?? '')
  })
  saved.close()
  removed.close()
  if (!name || again.length === 0) return
  if (again.length > MOST_FOUND) return lists.reload(name)
  const found = await findRecords(name, again)
  change((list) => [...found.values()].reduce((before, row) => putRow(before, row, searchedIn(name)), list))
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
