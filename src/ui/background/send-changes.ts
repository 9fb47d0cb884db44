import type { JsonObject } from '../../core/json.ts'
import type { ChosenChange } from '../../jobs/plan/make-selection.ts'
import { type ListState, removeRows, rowId, withSaved } from '../list/list-state.ts'
import type { ServerList } from '../screens.ts'
import { withList } from '../state.ts'
import { countedParts, recordName } from '../text/change-text.ts'
import { type DoneCommands, plainJson } from './done-commands.ts'
import type { FindConflicts, RefusedChange } from './find-conflicts.ts'
import type { Parts } from './parts.ts'
import { createBatches, isInterrupted, sendInBackground, type TrackedRows } from './under-way.ts'
import type { UndoHistory } from './writes.ts'

export interface ChangesToSend {
  readonly name: ServerList
  /** Either updates or deletions. */
  readonly changes: readonly ChosenChange[]
  readonly onMade?: () => void
}

type SendParts = Parts & { readonly history: UndoHistory }

/** Sends changes of records as one job; gives those that were refused because others had changed their records. */
export function createSendChanges(parts: Parts, history: UndoHistory, findConflicts: FindConflicts) {
  const { underWay, notices } = parts
  return async (toSend: ChangesToSend): Promise<readonly RefusedChange[]> => {
    const what = `${changesIn(toSend)} of ${toSend.name}`
    try {
      const refused = await underWay.trackRows(what, (rows) => send({ ...parts, history }, toSend, rows))
      return await findConflicts(toSend.name, refused)
    } catch (error) {
      notices.problem(error, 'Not sent: ')
      return []
    }
  }
}

function isDeletion({ changes }: ChangesToSend): boolean {
  return changes.some(({ patch }) => patch === null)
}

/** `2 updates`. */
function changesIn(toSend: ChangesToSend): string {
  return countedParts({ [isDeletion(toSend) ? 'deletion' : 'update']: toSend.changes.length }).join('')
}

/** The changes that were refused because others had changed their records. */
async function send(parts: SendParts, toSend: ChangesToSend, rows: TrackedRows): Promise<readonly ChosenChange[]> {
  const { name, changes, onMade } = toSend
  const jobs = await parts.openJobs()
  const made = await jobs.plan('chosen', { noun: name, kind: isDeletion(toSend) ? 'delete' : 'update', changes })
  if (made.type !== 'made') throw new Error('chosen records are a new job each time')
  onMade?.()
  const { paths } = made.job
  const byId = new Map(changes.map((change) => [rowId(change.row), change]))
  const ends = endsOf(parts, name)
  const error: unknown = await sendInBackground(rows, {
    ...{ jobs, paths },
    onEnd: ({ operation }, outcome) => {
      const change = byId.get(operation.head.id)
      if (change) ends.add(change, outcome.type === 'failed' ? outcome.entry.code : outcome.type)
    },
  }).then(
    (result) => result.error,
    (thrown: unknown) => thrown,
  )
  const { done, failed, refused } = ends.close()
  const { end } = made.job
  const left = end.update + end.delete - done.length - failed.length
  const isBegun = (await jobs.of(paths).state()).state !== 'planned'
  tell(parts, toSend, { jobId: paths.id, isBegun, done, failed, left, error })
  return refused
}

function endsOf({ store }: Parts, name: ServerList) {
  const change = (edit: (list: ListState) => ListState) => store.update((state) => withList(state, name, edit))
  const done: ChosenChange[] = []
  const failed: ChosenChange[] = []
  const refused: ChosenChange[] = []
  const saved = createBatches<{ row: ChosenChange['row']; patch: JsonObject }>((edits) =>
    change((list) => withSaved(list, edits)),
  )
  const removed = createBatches<string>((ids) => change((list) => removeRows(list, ids)))
  const gone = createBatches<string>((ids) => change((list) => ({ ...list, gone: new Set([...list.gone, ...ids]) })))
  return {
    /** `end`: `done`, or why not. */
    add: (each: ChosenChange, end: string) => {
      const { row, patch } = each
      const id = rowId(row) ?? ''
      if (end === 'precondition_failed') refused.push(each)
      if (end === 'not_found') gone.add(id)
      if (end !== 'done') return void failed.push(each)
      done.push(each)
      if (patch) saved.add({ row, patch })
      else removed.add(id)
    },
    close: () => {
      for (const each of [saved, removed, gone]) each.close()
      // What was not done stays marked for the next key.
      const doneIds = new Set(done.map(({ row }) => rowId(row)))
      const isLeft = (id: string) => !doneIds.has(id)
      if (failed.length > 0) change((list) => ({ ...list, marks: new Set([...list.marks].filter(isLeft)) }))
      return { done, failed, refused }
    },
  }
}

interface Sent {
  readonly jobId: string
  /** Something may have been sent. */
  readonly isBegun: boolean
  readonly done: readonly ChosenChange[]
  readonly failed: readonly ChosenChange[]
  /** Not sent, or without an answer: for `crm jobs resume`. */
  readonly left: number
  readonly error: unknown
}

function tell(parts: SendParts, toSend: ChangesToSend, sent: Sent): void {
  const { notices, commands, signal } = parts
  const { jobId, done, failed, left, error } = sent
  const isForGood = addUndo(parts, toSend, sent)
  addCommand(commands, toSend.name, { jobId, done })
  const undo = isForGood ? ', for good' : `; crm jobs undo ${jobId} takes it back`
  const text = `${countsText(toSend, sent)}${resumeText(sent, signal)}${done.length === 0 ? '' : undo}`
  if (failed.length > 0) notices.wait(text, '; Jobs shows why')
  else if (left > 0) notices.wait(text)
  else notices.done(text, isForGood ? '' : ', as does u')
  // A job with an answer to every row has nothing to resume.
  if (error !== undefined && !(left === 0 && isInterrupted(error))) notices.problem(error, '')
}

/** Whether it is for good: deleted on a server that creates none. */
function addUndo({ store, history }: SendParts, toSend: ChangesToSend, { jobId, isBegun, failed }: Sent): boolean {
  const { name, changes } = toSend
  const isForGood = isDeletion(toSend) && store.get().offered.lacks[`create ${name}`] !== undefined
  const [only, ...others] = changes
  const kind = isDeletion(toSend) ? 'deletion' : 'change'
  const what = others.length === 0 ? `the ${kind} of ${recordName(only?.row)}` : changesIn(toSend)
  if (isBegun && failed.length < changes.length)
    history.add(isForGood ? { type: 'barrier', what, name } : { type: 'job', what, name, id: jobId })
  return isForGood
}

/** After a stop of the program, the error of a job is printed with this command. */
function resumeText({ jobId, left, error }: Sent, { aborted }: AbortSignal): string {
  if (left === 0 || isInterrupted(error) === aborted) return ''
  return `; ${isInterrupted(error) ? error.details.hint : `crm jobs resume ${jobId}`} goes on`
}

/** `2 saved, 1 not, 3 left to job_1`. */
function countsText(toSend: ChangesToSend, { jobId, done, failed, left }: Sent): string {
  const [only, ...others] = toSend.changes
  const isOne = isDeletion(toSend) && done.length === 1 && others.length === 0
  const counts = isOne
    ? `Deleted ${recordName(only?.row)}`
    : `${done.length} ${isDeletion(toSend) ? 'deleted' : 'saved'}`
  return `${counts}${failed.length > 0 ? `, ${failed.length} not` : ''}${left > 0 ? `, ${left} left to ${jobId}` : ''}`
}

/** One command for all that was done; the name of the run keeps a script that is run twice from sending twice. */
function addCommand(commands: DoneCommands, name: ServerList, { jobId, done }: Pick<Sent, 'jobId' | 'done'>): void {
  const [first] = done
  if (!first) return
  const id = (row: ChosenChange['row']) => rowId(row) ?? ''
  if (first.patch === null && done.length === 1) return void commands.add([name, 'delete', id(first.row), '--yes'])
  const verb = first.patch === null ? 'delete' : 'update'
  const expect = first.patch === null ? ['--expect', String(done.length)] : []
  commands.add(
    [name, verb, '--from', '-', '--format', 'jsonl', '--run-id', `again-${jobId}`, '--yes', ...expect],
    done.map(({ row, patch }) => plainJson({ id: id(row), ...patch })),
  )
}
