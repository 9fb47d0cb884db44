import { safeText } from '../../output/safe-text.ts'
import type { Corrected } from '../background/job-list.ts'
import type { Cause } from '../background/job-row.ts'
import type { Assignment } from '../background/staging.ts'
import { rowId } from '../list/list-state.ts'
import { selectedRow } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import type { State } from '../state.ts'
import { refusalOf, textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { MOST_BY_KEY } from './limits.ts'

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
    id: 'job-others',
    title: 'Show the jobs of other servers, too, or no longer',
    screens: ['jobs'],
    keys: ['a'],
    run: ({ background }) => void background.jobs.toggleOthers(),
  },
  {
    id: 'job-retry',
    title: 'Resend the failed rows of the job',
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

/** Asks three questions: the cause, the change of its rows, and whether to send the corrected rows. */
async function correctJob(ui: Ui): Promise<void> {
  const { store, boards, background } = ui
  const id = rowId(selectedRow(store.get(), boards))
  if (id === undefined) return
  const causes = await background.jobs.causes(id)
  const check = causes.length === 0 ? undefined : await background.jobs.checker(id)
  if (!check) return background.notices.wait('No row failed for a reason that can be corrected')
  const options = causes.map(({ text }) => safeText(text))
  showOverlay(ui, {
    type: 'choice',
    title: `Correct the rows of ${id} that failed for`,
    options,
    index: 0,
    onChoose: (option) => {
      const cause = causes[options.indexOf(option)]
      if (cause) askMember(ui, { id, cause, check }, cause.field === undefined ? '' : `${cause.field}=`)
    },
  })
}

interface ToCorrect {
  readonly id: string
  readonly cause: Cause
  readonly check: (text: string) => Assignment
}

function askMember(ui: Ui, toCorrect: ToCorrect, text: string): void {
  const { id, cause, check } = toCorrect
  const apply = async (typed: string) => {
    try {
      const corrected = await ui.background.jobs.correct(id, cause, check(typed))
      if (corrected) askSend(ui, corrected)
    } catch (error) {
      ui.background.notices.problem(error, '')
      // Shows the typed text again.
      if (!ui.store.get().overlay) askMember(ui, toCorrect, typed)
    }
  }
  showOverlay(ui, {
    type: 'prompt',
    label: 'In all of them (member=value):',
    input: textInput(text),
    refusal: (typed) => refusalOf(() => check(typed)),
    onSubmit: (typed) => void apply(typed),
  })
}

function askSend(ui: Ui, { rows, lines, send, drop }: Corrected): void {
  const { place } = ui.store.get()
  showOverlay(ui, {
    type: 'confirm',
    title: `Send ${rows} corrected ${rows === 1 ? 'row' : 'rows'} to ${place.text}?`,
    lines: [...lines, ...(rows > lines.length ? [`and ${rows - lines.length} more`] : [])],
    verb: 'Send',
    isOnCancel: true,
    expected: place.isProtected || rows > MOST_BY_KEY ? String(rows) : undefined,
    input: textInput(),
    onConfirm: () => void send(),
    onCancel: drop,
  })
}
