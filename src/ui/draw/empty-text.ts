import { safeText } from '../../output/safe-text.ts'
import { listOf } from '../screens.ts'
import type { State } from '../state.ts'

/** Why there is no row, and what makes one: two lines at the most. */
export function emptyText(state: State): readonly string[] {
  const { screen, lists, listening } = state
  const list = lists[listOf(screen)]
  if (list.rows.length > 0) return ['Nothing that is loaded matches.', 'Esc shows all again.']
  if (screen === 'log') return ['No messages.']
  if (list.failure !== undefined) return ['Nothing could be loaded. r tries again, ! shows what was said.']
  if (!list.isComplete || list.isStale) return []
  if (screen === 'events') {
    if (listening) return [`No event yet. Senders reach this at ${safeText(listening.url)}`, 'T makes one up.']
    return ['No events are kept on this machine.', 'crm listen receives them; T makes one up and sends it.']
  }
  if (screen === 'jobs')
    return ['No bulk work was done from this machine.', 'crm contacts import FILE makes a job, as b and w do.']
  const isNarrowed = Object.keys(list.serverFilters).length > 0
  return isNarrowed ? ['The server has none of these. f changes what it is asked.'] : [`No ${screen} yet. n makes one.`]
}
