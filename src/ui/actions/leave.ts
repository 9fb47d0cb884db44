import { safeText } from '../../output/safe-text.ts'
import { submitForm } from '../form/open-form.ts'
import { formIn } from '../overlay.ts'
import { showOverlay } from '../state.ts'
import { underWayText } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'

const STAY = 'Stay'
const STOPPING = 'Stopping sends no more, and waits for the answers to running requests.'

/** Closes the screens, for good or for another profile; asks first when a form is not saved or something is being sent. */
export function leave(ui: Ui, next?: string): void {
  const { underWay, overlay } = ui.store.get()
  const isPending = !formIn(overlay)?.isSending && ui.background.kept.pendingForm() !== undefined
  if (!isPending && underWay.length === 0) return void quit(ui, 'keep', next)
  const isSending = underWay.length > 0
  const pending = [...(isPending ? ['Not saved: 1 form'] : []), ...underWayText(ui.store.get())]
  const options = optionsFor(ui, { isPending, isSending, next })
  showOverlay(ui, {
    type: 'choice',
    title: `${next === undefined ? 'Quit' : `Switch to ${safeText(next)}`}? ${pending.join('; ')}`,
    lines: isSending && next === undefined ? [STOPPING] : [],
    options: Object.keys(options),
    index: Object.keys(options).indexOf(STAY),
    onChoose: (option) => options[option]?.(),
    onCancel: () => stay(ui),
    ...(next === undefined && { onInterrupt: () => quit(ui, 'keep', undefined) }),
    behind: formIn(overlay),
  })
}

type Leaving = { readonly isPending: boolean; readonly isSending: boolean; readonly next: string | undefined }
type Options = Readonly<Record<string, () => void>>

function optionsFor(ui: Ui, leaving: Leaving): Options {
  const { isPending, isSending, next } = leaving
  const then = next === undefined ? 'quit' : 'switch'
  const send = {
    [isPending ? `Send${isSending ? ' all' : ''}, then ${then}` : `Wait until it is sent, then ${then}`]: () =>
      void sendAndQuit(ui, next),
  }
  // Requests that were sent belong to this profile: another one is opened when they have an answer.
  const stop = isSending && next !== undefined ? {} : stopOptions(ui, leaving, then)
  return { ...send, ...stop, [STAY]: () => stay(ui) }
}

function stopOptions(ui: Ui, { isPending, isSending, next }: Leaving, then: string): Options {
  if (!isPending) return { 'Stop sending, and quit; crm prints how to resume': () => quit(ui, 'keep', next) }
  const stop = isSending ? 'Stop sending, ' : ''
  return {
    [`${stop}${stop ? 'keep' : 'Keep'} the form for the next start, and ${then}`]: () => quit(ui, 'keep', next),
    [`${stop}${stop ? 'discard' : 'Discard'} the form, and ${then}`]: () => quit(ui, 'discard', next),
  }
}

function stay({ store }: Ui): void {
  store.update((state) => ({ ...state, leaving: undefined }))
}

/** Closes the screens when all is sent; they stay open when something failed. */
async function sendAndQuit(ui: Ui, next: string | undefined): Promise<void> {
  const { store, background } = ui
  const { notices, underWay, kept } = background
  const problems = notices.problemCount()
  const leaving = Symbol('leaving')
  store.update((state) => ({ ...state, leaving }))
  for (const step of [() => submitOpenForm(ui), underWay.settled]) {
    await step()
    // The question was answered again during this step.
    if (store.get().leaving !== leaving) return
  }
  if (notices.problemCount() === problems && kept.pendingForm() === undefined) return quit(ui, 'keep', next)
  stay(ui)
  notices.wait('Not everything was sent, so crm stays open; ! shows why')
}

async function submitOpenForm(ui: Ui): Promise<void> {
  const { overlay } = ui.store.get()
  if (overlay?.type === 'form' && !overlay.isSending) await submitForm(ui, overlay)
}

/** When the form cannot be kept, the screens stay open. */
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
