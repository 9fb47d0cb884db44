import { CrmError } from '../../core/errors.ts'
import { shellWords } from '../../core/shell-words.ts'
import { REJECTED } from '../background/event-row.ts'
import { actedOn } from '../board.ts'
import { currentRow, rowId } from '../list/list-state.ts'
import { askLine } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'

/** The usual address of an app during development. */
const USUAL_APP = 'http://localhost:3000/'
/** The default address of `crm listen`. */
const USUAL_RECEIVER = 'http://127.0.0.1:4242/'

export const EVENTS: readonly Action[] = onScreens(
  ['events'],
  [
    action('event-replay', 'R', 'Send the event again with a new signature', {
      footer: 'replay',
      isOfMarks: true,
      refusal: (state) => (currentRow(state.lists.events) ? undefined : 'there is no event'),
      run: askReplay,
    }),
    action('event-trigger', 'T', 'Make up an event and send it, signed like a real one', {
      footer: 'trigger',
      run: askTrigger,
    }),
    action('event-follow', 'F', 'Show new events when they are received, or only count them', {
      refusal: (state) => (state.listening ? undefined : 'only crm listen --tui receives events itself'),
      run: ({ store }) =>
        store.update((state) => {
          const { listening } = state
          return listening ? { ...state, listening: { ...listening, isFollowing: !listening.isFollowing } } : state
        }),
    }),
  ],
)

function askReplay(ui: Ui): void {
  const { store, boards, background, world } = ui
  // The list has the newest event first; events are sent in the order received.
  const rows = actedOn(store.get(), boards).filter(({ event }) => event !== REJECTED)
  const ids = rows.flatMap((row) => rowId(row) ?? []).toReversed()
  if (ids.length === 0) return void background.notices.wait('Rejected requests are not kept, and cannot be sent again')
  const what = ids.length === 1 ? `${rows[0]?.event ?? 'the event'}` : `${ids.length} events`
  askLine(ui, {
    ...{ label: `Send ${what} to:`, text: world.sendsTo ?? USUAL_APP },
    enter: ids.length === 1 ? 'sends it' : 'sends them',
    onSubmit: (to) => void background.sending.replay(ids, to.trim()),
  })
}

function askTrigger(ui: Ui): void {
  const { store, background } = ui
  const { listening, lists } = store.get()
  const event = currentRow(lists.events)?.event
  const name = typeof event === 'string' && event !== REJECTED ? event : 'contact.created'
  const ask = (text: string) =>
    askLine(ui, { label: 'Event, members, to=URL:', text, enter: 'sends it', onSubmit: send })
  const send = (text: string) => {
    try {
      const [first, ...words] = shellWords(text, 'event')
      const to = words.findLast((word) => word.startsWith('to='))?.slice('to='.length)
      const members = words.filter((word) => !word.startsWith('to='))
      void background.sending.trigger(first, members, to ?? listening?.url ?? USUAL_RECEIVER)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      background.notices.problem(error, '')
      ask(text)
    }
  }
  ask(`${name} to=${listening?.url ?? USUAL_RECEIVER}`)
}
