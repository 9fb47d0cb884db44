import type { KeptChange, KeptForm } from '../../settings/kept-changes.ts'
import { openForm } from '../form/open-form.ts'
import { serverLists } from '../screens.ts'
import { showOverlay } from '../state.ts'
import { changesText, formText } from '../text/change-text.ts'
import type { Action, Ui } from '../ui.ts'
import { action } from '../ui.ts'
import { changesDiff, confirmChanges, planTitle, sendChanges } from './ask-changes.ts'

export const KEPT: readonly Action[] = [
  action('kept', [], 'What earlier sessions kept: a form that was not saved, changes that were not sent', {
    refusal: ({ kept: { forms, changes } }) => (forms.length + changes.length === 0 ? 'nothing was kept' : undefined),
    run: offerKept,
  }),
]

export async function restoreKept(ui: Ui): Promise<void> {
  await ui.background.kept.take()
  offerKept(ui)
}

const LATER = 'Keep it for the next start'

function offerKept(ui: Ui): void {
  const { kept, overlay } = ui.store.get()
  const { forms, changes } = kept
  const [form] = forms
  if (!form && changes.length === 0) return
  // Something else was opened while they were read.
  if (overlay)
    return void ui.background.notices.wait(`${changesText(changes.length, forms.length)} kept: :kept shows it`)
  if (form) offerForm(ui, form, forms.length)
  else offerChanges(ui, changes)
}

function ask(ui: Ui, title: string, lines: readonly string[], options: Readonly<Record<string, () => void>>): void {
  const all: typeof options = { ...options, [LATER]: () => {} }
  showOverlay(ui, {
    ...{ type: 'choice', title, lines, options: Object.keys(all), index: 0 },
    onChoose: (option) => all[option]?.(),
  })
}

function offerForm(ui: Ui, form: KeptForm, count: number): void {
  const title = count === 1 ? 'A form of the last session was not saved' : `${count} forms were not saved; the first`
  ask(ui, title, [formText(form)], {
    'Open it': () => void openKept(ui, form),
    'Drop it': () => {
      ui.background.kept.forget([form])
      offerKept(ui)
    },
  })
}

/** With the typed texts over the record as it is now. */
async function openKept(ui: Ui, form: KeptForm): Promise<void> {
  const { kept, notices } = ui.background
  await notices.attempt('The form cannot be opened, and stays kept: ', async () => {
    const record = form.before === null ? undefined : await kept.recordOf(form)
    if (form.before !== null && !record) {
      kept.forget([form])
      return notices.wait(`Not restored, because the record was deleted: ${formText(form)}`)
    }
    // Something else was opened during the request.
    if (ui.store.get().overlay) return
    openForm(ui, form.list, record, form)
    kept.forget([form])
  })
}

function offerChanges(ui: Ui, changes: readonly KeptChange[]): void {
  const { kept, notices } = ui.background
  ask(ui, `${changesText(changes.length)} were kept by an earlier version of crm, and not sent`, [], {
    'Show their plan, to send them': () => askKept(ui, changes),
    'Write them to a file, and keep them no longer': () => {
      try {
        const path = kept.exportChanges(changes)
        kept.forget(changes)
        notices.done(`Wrote ${changesText(changes.length)} to ${path}`)
      } catch (error) {
        notices.problem(error, 'They stay kept: ')
      }
    },
  })
}

function askKept(ui: Ui, kept: readonly KeptChange[]): void {
  const all = kept.map(({ before, patch }) => ({ row: before, patch }))
  confirmChanges(ui, {
    title: `${planTitle(all)} ${ui.store.get().place.text}?`,
    ...{ diff: changesDiff(all), verb: 'Send', count: kept.length },
    lines: ['Where a record was changed since, its change is shown again and not sent.'],
    onConfirm: () => void sendKept(ui, kept),
  })
}

/** A job for the updates and one for the deletions of each list; a second change of a record is one of its own, which sees the first. */
async function sendKept(ui: Ui, kept: readonly KeptChange[]): Promise<void> {
  for (const name of serverLists()) {
    for (const isDeletion of [false, true]) {
      let rest = kept.filter(({ list, patch }) => list === name && (patch === null) === isDeletion)
      while (rest.length > 0) {
        const first = new Map(rest.toReversed().map((change) => [change.id, change]))
        const part = [...first.values()]
        rest = rest.filter((change) => !part.includes(change))
        const changes = part.map(({ before, patch }) => ({ row: before, patch }))
        await sendChanges(ui, { name, changes, onMade: () => ui.background.kept.forget(part) })
      }
    }
  }
}
