import type { CrmRecord } from '../../core/resources/registry.ts'
import type { JobState } from '../../jobs/history/job-state.ts'

/** The printed record of a job; `undoneBy`: ids of jobs with the ids of their undos. */
export function jobRecord(
  { paths, head, state, account, progress }: JobState,
  undoneBy: ReadonlyMap<string, string>,
): CrmRecord {
  return {
    id: paths.id,
    state,
    kind: head.kind,
    noun: head.noun,
    input: head.input?.name ?? null,
    account: head.account,
    ...account,
    other_values: progress.otherRows.count,
    first_other_value: progress.otherRows.first ?? null,
    of: head.of ?? null,
    undone_by: undoneBy.get(paths.id) ?? null,
    paused_by: state === 'stopped' ? (progress.pausedBy ?? null) : null,
    made_at: new Date(head.made_at).toISOString(),
    run: head.run,
    folder: paths.folder,
  }
}
