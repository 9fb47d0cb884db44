import { randomUUID } from 'node:crypto'
import { CrmError } from '../../core/errors.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { RunHooks } from '../../jobs/send/run-job.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import { type Edit, rowId } from '../list/list-state.ts'

/** The defaults of the commands, which leave a part of the rate limit to other clients. */
export const TERMS: RunTerms = { concurrency: undefined, rateShare: 0.8, maxErrors: undefined, maxOutageMs: 600_000 }

export interface Sent {
  readonly jobId: string
  readonly done: number
  readonly notDone: number
  /** Not sent or without an answer: for `crm jobs resume`. */
  readonly left: readonly Edit[]
  /** Why it stopped; undefined when every row was done. */
  readonly error: unknown
}

/** Sends edits of contacts as a job, which can be resumed, and reverted with `crm jobs undo`. */
export async function sendEdits(
  jobs: Jobs,
  edits: readonly Edit[],
  { onMade, onDone }: { readonly onMade: () => void; readonly onDone: (edit: Edit) => void },
): Promise<Sent> {
  const { paths } = await jobs.make(
    { kind: 'update', noun: 'contacts', run: randomUUID(), of: undefined },
    async (builder) => {
      for (const { row, patch } of edits) {
        const id = rowId(row) ?? ''
        const ifMatch = typeof row.version === 'number' ? { ifMatch: String(row.version) } : {}
        builder.add({
          do: 'update',
          path: `/v1/contacts/${encodeURIComponent(id)}`,
          id,
          body: patch,
          before: row,
          ...ifMatch,
        })
      }
    },
  )
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
