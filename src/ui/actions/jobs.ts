import { rowId } from '../list/list-state.ts'
import { selectedRow } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import type { State } from '../state.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { correctJob } from './correct-job.ts'

function jobOf({ lists: { jobs } }: State) {
  return jobs.order ? jobs.rows[jobs.order[jobs.cursor] ?? -1] : jobs.rows[jobs.cursor]
}

export const JOBS: readonly Action[] = [
  {
    id: 'job-resume',
    title: 'Send what is left of the job',
    screens: ['jobs'],
    keys: ['p'],
    footer: 'resume',
    refusal: (state) =>
      /^(?:planned|stopped)$/.test(String(jobOf(state)?.state)) ? undefined : 'it has nothing left to send',
    run: (ui) => ask(ui, 'Resume', (id) => void ui.background.jobs.resume(id)),
  },
  {
    id: 'job-others',
    title: 'Show the jobs of other servers, too, or no longer',
    screens: ['jobs'],
    keys: ['O'],
    run: ({ background }) => void background.jobs.toggleOthers(),
  },
  {
    id: 'job-retry',
    title: 'Resend the failed rows of the job',
    screens: ['jobs'],
    keys: ['R'],
    footer: 'retry failed',
    refusal: failureRefusal,
    run: (ui) => ask(ui, 'Retry the failed rows of', (id) => void ui.background.jobs.retry(id)),
  },
  {
    id: 'job-correct',
    title: 'Correct failed rows of the job, and send them',
    screens: ['jobs'],
    keys: ['e'],
    footer: 'correct',
    refusal: failureRefusal,
    run: (ui) => void correctJob(ui),
  },
]

function failureRefusal(state: State): string | undefined {
  const job = jobOf(state)
  if (!(Number(job?.failed) > 0)) return 'no row of it failed'
  return job?.still_failed === 0 ? 'retries have sent all that failed' : undefined
}

function ask(ui: Ui, verb: string, onConfirm: (id: string) => void): void {
  const { store, boards } = ui
  const id = rowId(selectedRow(store.get(), boards))
  if (id === undefined) return
  showOverlay(ui, {
    ...{ type: 'confirm', title: `${verb} ${id} on ${store.get().place.text}?`, verb: 'Send' },
    lines: ['Rows that are done are not sent again.'],
    ...{ isOnCancel: true, expected: undefined, input: textInput(), onConfirm: () => onConfirm(id) },
  })
}
