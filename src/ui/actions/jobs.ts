import { rowId } from '../list/list-state.ts'
import { selectedRow } from '../selected.ts'
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
    keys: ['R'],
    footer: 'resume',
    refusal: (state) =>
      /^(?:planned|stopped)$/.test(String(jobOf(state)?.state)) ? undefined : 'it has nothing left to send',
    run: (ui) => ask(ui, 'Resume', (id) => void ui.background.jobs.resume(id)),
  },
  {
    id: 'job-retry',
    title: 'Send the rows of the job that failed once more',
    screens: ['jobs'],
    keys: ['t'],
    footer: 'retry failed',
    refusal: (state) => (Number(jobOf(state)?.failed) > 0 ? undefined : 'no row of it failed'),
    run: (ui) => ask(ui, 'Retry the failed rows of', (id) => void ui.background.jobs.retry(id)),
  },
  {
    id: 'job-correct',
    title: 'Correct all rows that failed for one cause, and send them',
    screens: ['jobs'],
    keys: ['m'],
    footer: 'correct',
    refusal: (state) => (Number(jobOf(state)?.failed) > 0 ? undefined : 'no row of it failed'),
    run: (ui) => void correctJob(ui),
  },
]

function ask({ store, boards }: Ui, verb: string, onConfirm: (id: string) => void): void {
  const id = rowId(selectedRow(store.get(), boards))
  if (id === undefined) return
  store.update((state) => ({
    ...state,
    overlay: {
      type: 'confirm',
      title: `${verb} ${id} on ${state.place.text}?`,
      lines: ['Rows that are done are not sent again.'],
      verb: 'Send',
      isOnCancel: true,
      expected: undefined,
      input: textInput(),
      onConfirm: () => onConfirm(id),
    },
  }))
}
