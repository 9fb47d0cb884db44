import { safeText } from '../../output/safe-text.ts'
import type { Cause, Corrected } from '../background/job-list.ts'
import { parseAssignment } from '../background/staging.ts'
import { rowId } from '../list/list-state.ts'
import { showOverlay } from '../overlay-keys.ts'
import { selectedRow } from '../selected.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

/** Asks three questions: the cause, the change of its rows, and whether to send the corrected rows. */
export async function correctJob(ui: Ui): Promise<void> {
  const { store, boards, background } = ui
  const id = rowId(selectedRow(store.get(), boards))
  if (id === undefined) return
  const causes = await background.jobs.causes(id)
  if (causes.length === 0) return background.notices.wait('No row failed for a reason that can be corrected')
  const options = causes.map(({ text }) => safeText(text))
  showOverlay(ui, {
    type: 'choice',
    title: `Correct the rows of ${id} that failed for`,
    options,
    index: 0,
    onChoose: (option) => {
      const cause = causes[options.indexOf(option)]
      if (cause) askMember(ui, id, cause, cause.field === undefined ? '' : `${cause.field}=`)
    },
  })
}

function askMember(ui: Ui, id: string, cause: Cause, text: string): void {
  const apply = async (typed: string) => {
    try {
      const corrected = await ui.background.jobs.correct(id, cause, parseAssignment(typed))
      if (corrected) askSend(ui, corrected)
    } catch (error) {
      ui.background.notices.problem(error, '')
      // Shows the typed text again.
      if (!ui.store.get().overlay) askMember(ui, id, cause, typed)
    }
  }
  showOverlay(ui, {
    type: 'prompt',
    label: 'In all of them (member=value):',
    input: textInput(text),
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
    expected: place.isProtected ? String(rows) : undefined,
    input: textInput(),
    onConfirm: () => void send(),
    onCancel: drop,
  })
}
