import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { openInEditor } from '../../output/open-in-editor.ts'
import { safeText } from '../../output/safe-text.ts'
import { type EditedRecord, editRecord } from '../background/edit-record.ts'
import { type Corrected, editedRows, MOST_EDITED } from '../background/job-corrections.ts'
import type { Cause } from '../background/job-rows.ts'
import { selectedRow } from '../board.ts'
import type { Assignment } from '../list/assignment.ts'
import { rowId } from '../list/list-state.ts'
import { askFirst, askLine, type State, showOverlay } from '../state.ts'
import { refusalOf } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'
import { confirmChanges } from './ask-changes.ts'

const ONE_BY_ONE = 'one by one: opens the failed rows in the editor'

async function correctJob(ui: Ui): Promise<void> {
  const { store, boards, background } = ui
  const id = rowId(selectedRow(store.get(), boards))
  if (id === undefined) return
  const file = await background.jobs.failedFile(id)
  if (file !== undefined) return correctFile(ui, id, file)
  const causes = await background.jobs.causes(id)
  const check = causes.length === 0 ? undefined : await background.jobs.checker(id)
  if (!check) return background.notices.wait('No row failed for a reason that can be corrected')
  const options = [...causes.map(({ text }) => safeText(text)), ONE_BY_ONE]
  showOverlay(ui, {
    type: 'choice',
    title: `Correct the rows of ${id} that failed for`,
    options,
    index: 0,
    onChoose: (option) => {
      if (option === ONE_BY_ONE) return void correctRows(ui, id, check)
      const cause = causes[options.indexOf(option)]
      if (cause) askMember(ui, { id, cause, check }, cause.field === undefined ? '' : `${cause.field}=`)
    },
  })
}

type ToCorrect = { readonly id: string; readonly cause: Cause; readonly check: (text: string) => Assignment }

/** In the editor, as a copy; then by `crm jobs retry --from`, which checks the rows, and shows on the terminal what it did. */
async function correctFile(ui: Ui, id: string, file: string): Promise<void> {
  const { store, world, background } = ui
  const { notices } = background
  let copy: Awaited<ReturnType<typeof openInEditor>> | undefined
  const text = await readFile(file, 'utf8')
  await ui.suspend(async () => {
    copy = await openInEditor({ text, name: basename(file) }, world.env).catch((error: unknown) => {
      notices.problem(error, '')
      return undefined
    })
  })
  if (!copy) return
  const { text: typed, path, forget } = copy
  const send = async () => {
    if ((await world.runCrm(['jobs', 'retry', id, '--from', path])) === 0) await forget()
    else notices.wait(`Not all rows of ${id} were sent; the corrected ones stay in ${path}`)
  }
  if (typed === text) {
    notices.wait('No row was changed, and nothing sent')
    return forget()
  }
  confirmChanges(ui, {
    title: `Send the corrected rows of ${id} to ${store.get().place.text}?`,
    lines: ['Rows that are not valid are named first, and nothing is sent then.'],
    verb: 'Send',
    count: 1,
    onConfirm: () => void ui.suspend(send),
    onCancel: () => notices.wait(`Nothing was sent; the corrected rows stay in ${path}`),
  })
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
  askLine(ui, {
    ...{ label: 'In all of them (member=value):', text, enter: 'shows what is sent' },
    refusal: (typed) => refusalOf(() => check(typed)),
    onSubmit: (typed) => void apply(typed),
  })
}

function askSend(ui: Ui, { rows, lines, send, drop }: Corrected, onSent = () => {}): void {
  const { place } = ui.store.get()
  confirmChanges(ui, {
    title: `Send ${rows} corrected ${rows === 1 ? 'row' : 'rows'} to ${place.text}?`,
    lines: [...lines, ...(rows > lines.length ? [`and ${rows - lines.length} more`] : [])],
    verb: 'Send',
    count: rows,
    onConfirm: () => {
      onSent()
      void send()
    },
    onCancel: drop,
  })
}

/** Undefined after an error, which is shown. */
export async function editOnTerminal(
  { world, background, suspend }: Ui,
  record: CrmRecord,
  options: Omit<Parameters<typeof editRecord>[1], 'env'>,
): Promise<EditedRecord | undefined> {
  const outcome: { edited?: EditedRecord; error?: unknown } = {}
  await suspend(async () => {
    try {
      outcome.edited = await editRecord(record, { ...options, env: world.env })
    } catch (error) {
      outcome.error = error
    }
  })
  if (!outcome.edited) background.notices.problem(outcome.error, '')
  return outcome.edited
}

/** What was typed is opened again the next time, unless it was sent. */
async function correctRows(ui: Ui, id: string, check: (text: string) => Assignment): Promise<void> {
  const { jobs, drafts, notices } = ui.background
  const failed = await jobs.failedRows(id)
  if (!failed) return
  const { count, rows, text } = failed
  const shown = Math.min(count, MOST_EDITED)
  const which =
    shown < count ? `the first ${shown} of ${count} failed rows; e again shows the next` : `${count} failed rows`
  const problem = `${which} of ${id}. Rows that are not changed are not sent.`
  const draft = drafts.get(`jobs ${id}`) ?? { text, problem }
  const edited = await editOnTerminal(ui, rows, { isShown: () => true, draft })
  if (!edited) return
  const forget = () => {
    drafts.delete(`jobs ${id}`)
    void edited.forget()
  }
  if (Object.keys(edited.patch).length === 0) {
    forget()
    return notices.wait('No row was changed, and nothing sent')
  }
  drafts.set(`jobs ${id}`, { text: edited.text, problem })
  try {
    const corrected = await jobs.correctRows(id, editedRows(failed, edited.patch, check))
    if (corrected) askSend(ui, corrected, forget)
  } catch (failure) {
    if (failure instanceof CrmError) drafts.set(`jobs ${id}`, { text: edited.text, problem: failure.message })
    notices.problem(failure, 'Not sent; e opens the text again: ')
  }
}

function jobOf({ lists: { jobs } }: State) {
  return jobs.order ? jobs.rows[jobs.order[jobs.cursor] ?? -1] : jobs.rows[jobs.cursor]
}

export const JOBS: readonly Action[] = onScreens(
  ['jobs'],
  [
    action('job-resume', 'p', 'Send what is left of the job', {
      footer: 'resume',
      refusal: (state) =>
        /^(?:planned|stopped)$/.test(String(jobOf(state)?.state)) ? undefined : 'it has nothing left to send',
      run: (ui) => ask(ui, 'Resume', (id) => void ui.background.jobs.resume(id)),
    }),
    action('job-others', 'O', 'Show the jobs of other servers, too, or no longer', {
      run: ({ background }) => void background.jobs.toggleOthers(),
    }),
    action('job-retry', 'R', 'Resend the failed rows of the job', {
      footer: 'retry failed',
      refusal: failureRefusal,
      run: (ui) => ask(ui, 'Retry the failed rows of', (id) => void ui.background.jobs.retry(id)),
    }),
    action('job-correct', 'e', 'Correct failed rows of the job, and send them', {
      footer: 'correct',
      refusal: failureRefusal,
      run: (ui) => void correctJob(ui),
    }),
  ],
)

function failureRefusal(state: State): string | undefined {
  const job = jobOf(state)
  if (!(Number(job?.failed) > 0)) return 'no row of it failed'
  return job?.still_failed === 0 ? 'retries have sent all that failed' : undefined
}

function ask(ui: Ui, verb: string, onConfirm: (id: string) => void): void {
  const { store, boards } = ui
  const id = rowId(selectedRow(store.get(), boards))
  if (id === undefined) return
  askFirst(ui, {
    ...{ title: `${verb} ${id} on ${store.get().place.text}?`, verb: 'Send', onConfirm: () => onConfirm(id) },
    lines: ['Rows that are done are not sent again.'],
  })
}
