import { safeText } from '../../output/safe-text.ts'
import type { KeptChange, KeptForm } from '../../settings/kept-changes.ts'
import { submitForm } from '../form/submit-form.ts'
import { formIn } from '../overlay.ts'
import { serverLists } from '../screens.ts'
import { showOverlay } from '../show-overlay.ts'
import { countedParts, underWayText } from '../text/change-text.ts'
import type { DiffLine } from '../text/diff-line.ts'
import { deletionDiff, editDiff } from '../text/plan-diff.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { MOST_BY_KEY } from './limits.ts'

const STAY = 'Stay'
const STOPPING = 'Stopping sends no more, and waits for the answers to running requests.'

/** Closes the screens, for good or for another profile; asks first when changes are unsent or being sent. */
export function leave(ui: Ui, next?: string): void {
  const { store, background } = ui
  const { underWay, overlay } = store.get()
  const isPending = unsent(ui).length > 0 || typedForm(ui) !== undefined
  if (!isPending && underWay.length === 0) return void quit(ui, 'keep', next)
  const isSending = underWay.length > 0
  // The grace period is paused while the question is open.
  background.deletions.pause()
  const options = optionsFor(ui, { isPending, isSending, next })
  showOverlay(ui, {
    type: 'choice',
    title: `${next === undefined ? 'Quit' : `Switch to ${safeText(next)}`}? ${pendingText(ui)}`,
    lines: isSending && next === undefined ? [STOPPING] : [],
    options: Object.keys(options),
    index: Object.keys(options).indexOf(STAY),
    onChoose: (option) => options[option]?.(),
    onCancel: () => stay(ui),
    ...(next === undefined && { onInterrupt: () => quit(ui, 'keep', undefined) }),
    behind: formIn(overlay),
  })
}

interface Leaving {
  readonly isPending: boolean
  readonly isSending: boolean
  /** The profile that is opened next; undefined: none. */
  readonly next: string | undefined
}

type Options = Readonly<Record<string, () => void>>

function optionsFor(ui: Ui, leaving: Leaving): Options {
  const { isPending, isSending, next } = leaving
  const then = next === undefined ? 'quit' : 'switch'
  const send = {
    [isPending ? `Send${isSending ? ' all' : ''}, then ${then}` : `Wait until it is sent, then ${then}`]: () =>
      isPending ? askToSend(ui, next) : void sendAndQuit(ui, next),
  }
  // Requests that were sent belong to this profile: another one is opened when they have an answer.
  const stop = isSending && next !== undefined ? {} : stopOptions(ui, leaving, then)
  return { ...send, ...stop, [STAY]: () => stay(ui) }
}

function stopOptions(ui: Ui, { isPending, isSending, next }: Leaving, then: string): Options {
  if (!isPending) return { 'Stop sending, and quit; crm prints how to resume': () => quit(ui, 'keep', next) }
  const stop = isSending ? 'Stop sending, ' : ''
  return {
    [`${stop}${stop ? 'keep' : 'Keep'} what is not sent for the next start, and ${then}`]: () => quit(ui, 'keep', next),
    [`${stop}${stop ? 'discard' : 'Discard'} what is not sent, and ${then}`]: () => quit(ui, 'discard', next),
  }
}

/** Pending changes that are not being sent. */
function unsent({ store, background }: Ui): readonly KeptChange[] {
  const { lists } = store.get()
  return background.kept.pending().filter(({ list, id }) => !lists[list].sending.has(id))
}

/** The text of the open form, unless it is being sent. */
function typedForm({ store, background }: Ui): KeptForm | undefined {
  return formIn(store.get().overlay)?.isSending ? undefined : background.kept.pendingForm()
}

/** Unsent changes and running requests: `Not sent: 2 updates and 1 deletion`. */
function pendingText(ui: Ui): string {
  const pending = unsent(ui)
  const deletions = pending.filter(({ patch }) => patch === null).length
  const form = typedForm(ui) ? 1 : 0
  const parts = countedParts({ update: pending.length - deletions, deletion: deletions, form })
  const notSent = parts.length === 0 ? [] : [`Not sent: ${parts.join(' and ')}`]
  return [...notSent, ...underWayText(ui.store.get())].join('; ')
}

function stay({ store, background }: Ui): void {
  background.deletions.resume()
  store.update((state) => ({ ...state, leaving: undefined }))
}

/** On a protected profile, and for more than a few, the user must type the number of changes, as for a plan. */
function askToSend(ui: Ui, next: string | undefined): void {
  const { place, overlay } = ui.store.get()
  const pending = unsent(ui)
  const count = pending.length + (typedForm(ui) ? 1 : 0)
  if (!place.isProtected && count <= MOST_BY_KEY) return void sendAndQuit(ui, next)
  showOverlay(ui, {
    type: 'confirm',
    title: `Send to ${place.isProtected ? 'the protected ' : ''}${place.text}? ${pendingText(ui)}`,
    lines: [],
    diff: pendingDiff(pending),
    verb: 'Send',
    isOnCancel: true,
    expected: String(count),
    input: textInput(),
    onConfirm: () => void sendAndQuit(ui, next),
    onCancel: () => stay(ui),
    behind: formIn(overlay),
  })
}

function pendingDiff(pending: readonly KeptChange[]): readonly DiffLine[] {
  const edits = pending.flatMap(({ before, patch }) => (patch === null ? [] : [{ row: before, patch }]))
  return [...editDiff(edits), ...deletionDiff(pending.flatMap(({ before, patch }) => (patch === null ? [before] : [])))]
}

/** Closes the screens when all is sent; they stay open when something failed. */
async function sendAndQuit(ui: Ui, next: string | undefined): Promise<void> {
  const { store, background } = ui
  const { notices, underWay, deletions, kept } = background
  const problems = notices.problemCount()
  const leaving = Symbol('leaving')
  store.update((state) => ({ ...state, leaving }))
  const steps = [
    () => submitOpenForm(ui),
    underWay.settled,
    ...serverLists().map((list) => () => background.commit(list)),
    deletions.flush,
    underWay.settled,
  ]
  for (const step of steps) {
    await step()
    // The question was answered again during this step.
    if (store.get().leaving !== leaving) return
  }
  const isSent = kept.pending().length === 0 && kept.pendingForm() === undefined
  if (notices.problemCount() === problems && isSent) return quit(ui, 'keep', next)
  stay(ui)
  notices.wait('Not everything was sent, so crm stays open; ! shows why')
}

async function submitOpenForm(ui: Ui): Promise<void> {
  const { overlay } = ui.store.get()
  if (overlay?.type === 'form' && !overlay.isSending) await submitForm(ui, overlay)
}

/** When the changes cannot be kept, the screens stay open. */
function quit(ui: Ui, pending: 'keep' | 'discard', next: string | undefined): void {
  const { background } = ui
  try {
    if (pending === 'keep') background.kept.hold()
    else background.kept.discard()
  } catch (error) {
    showOverlay(ui, formIn(ui.store.get().overlay))
    stay(ui)
    return void background.notices.problem(error, 'Not kept, so crm stays open: ')
  }
  ui.store.update((state) => ({ ...state, leaving: undefined }))
  ui.quit(pending, next)
}
