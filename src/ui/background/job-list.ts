import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { type Edit, type ListState, removeRows, rowId, withSaved } from '../list/list-state.ts'
import { withRecords } from '../screens/all-screens.tsx'
import { type ServerList, serverLists } from '../screens.ts'
import { withList } from '../state.ts'
import { creationDiff, deletionDiff, editDiff } from '../text/diff.ts'
import { createJobCorrections } from './job-corrections.ts'
import { createJobWatch } from './job-rows.ts'
import type { Parts } from './parts.ts'
import { createBatches, isInterrupted, type JobToSend, sendInBackground, type TrackedRows } from './under-way.ts'

type PlannedUndo = Awaited<ReturnType<typeof planUndo>>

/** An undo that is not sent yet. CrmError `conflict` when the job has not ended, was undone, or nothing of it can be reverted. */
async function planUndo(jobs: Jobs, id: string) {
  const found = jobs.find(id)
  if (jobs.of(found).needed().length > 0)
    throw conflict(`${id} is a merge that re-pointed records, and its undo is several jobs`, `crm jobs undo ${id}`, id)
  const made = await jobs.plan('undo', { paths: found })
  if (made.type === 'same') {
    const [by, state] = [made.job.paths.id, made.job.state]
    const hint = state === 'finished' ? `undo ${by} to revert the undo` : `resume ${by} to send the rest of it`
    throw conflict(`${id} was undone by ${by}, which is ${state}`, hint, by)
  }
  if (made.type === 'refused') throw new Error('an undo has no input that could be refused')
  const { job, leftLines } = made
  const { paths } = job
  const { edits, created, restored, deleted } = changesIn(jobs, paths)
  const rows = edits.length + created.length + restored.length + deleted.length
  if (rows === 0) {
    jobs.of(paths).drop()
    throw conflict(`nothing of ${id} can be reverted: ${leftLines.join(' ')}`, `crm jobs show ${id}`, id)
  }
  return {
    ...{ rows, noun: job.head.noun, edits, paths },
    /** What is not reverted. */
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

/** More records that exist again are shown by a reload. */
const MOST_FOUND = 200

async function sendUndo(
  { noun, edits, deleted }: PlannedUndo,
  { store, findRecords }: Parts,
  reload: (name: ServerList) => Promise<void>,
  send: (onEnd: RunHooks['onEnd']) => Promise<void>,
): Promise<void> {
  const name = serverLists().find((list) => list === noun)
  const change = (edit: (list: ListState) => ListState) => {
    if (name) store.update((state) => withList(state, name, edit))
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
  if (again.length > MOST_FOUND) return reload(name)
  const found = await findRecords(name, again)
  store.update((state) => withRecords(state, name, [...found.values()]))
}

function conflict(message: string, hint: string, job: string): CrmError {
  return new CrmError('conflict', message, { hint, job })
}

export function createJobList(parts: Parts, reload: (name: ServerList) => Promise<void>) {
  const { openJobs, notices, commands, underWay, signal } = parts
  const watching = createJobWatch(parts)

  const send = (jobs: Jobs, paths: JobPaths, onEnd?: RunHooks['onEnd']) =>
    underWay.trackRows(paths.id, (rows) => run(rows, { jobs, paths, onEnd }))

  async function run(rows: TrackedRows, job: JobToSend): Promise<void> {
    const { paths } = job
    try {
      const { account, error } = await sendInBackground(rows, job)
      if (error === undefined) notices.done(`${paths.id}: ${account.done} of ${account.rows} done`)
      else if (isInterrupted(error) && !signal.aborted)
        notices.wait(`${paths.id} stopped; ${error.details.hint} goes on`)
      else notices.problem(error, '')
    } finally {
      await watching.look()
    }
  }

  const attempt = <Result>(work: (jobs: Jobs) => Promise<Result>) =>
    notices.attempt('', async () => work(await openJobs()))

  return {
    ...watching,
    ...createJobCorrections(parts, { attempt, send }),
    resume: (id: string) =>
      attempt(async (jobs) => {
        commands.add(['jobs', 'resume', id])
        await send(jobs, jobs.find(id))
      }),
    /** The records that a job changed and did not delete; undefined where its journal cannot be read, which is shown. */
    changedBy: (id: string) =>
      attempt(async (jobs) => {
        const ids = new Set<string>()
        let resource = ''
        for (const changes of jobs.localChanges({ account: await jobs.account(), job: jobs.find(id).id })) {
          for (const { record_id: recordId, action, resource: of } of changes) {
            resource = String(of)
            if (typeof recordId === 'string' && action !== 'deleted') ids.add(recordId)
          }
        }
        return { resource, ids: [...ids] }
      }),
    /** The undo of a job; undefined when there is none, which is shown. */
    planUndo: (id: string) =>
      attempt(async (jobs) => {
        const undo = await planUndo(jobs, id)
        return {
          ...undo,
          id: undo.paths.id,
          send: async () =>
            void (await attempt((again) => {
              commands.add(['jobs', 'undo', id, '--yes'])
              return sendUndo(undo, parts, reload, (onEnd) => send(again, undo.paths, onEnd))
            })),
          drop: () => jobs.of(undo.paths).drop(),
        }
      }),
    retry: (id: string) =>
      attempt(async (jobs) => {
        const made = await jobs.plan('retry', { paths: jobs.find(id) })
        if (made.type !== 'refused') {
          commands.add(['jobs', 'retry', id, '--yes'])
          return send(jobs, made.job.paths)
        }
        throw new CrmError('invalid_input', `the rows of ${id} cannot be sent as they are`, {
          hint: `crm jobs retry ${id} shows why`,
        })
      }),
  }
}
