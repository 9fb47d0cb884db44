import { safeText } from '../../output/safe-text.ts'
import { listOf } from '../screens.ts'
import type { State } from '../state.ts'

/** Why there is no row, and how to create one: at most two lines. */
export function emptyText(state: State): readonly string[] {
  const { screen, lists, listening } = state
  const list = lists[listOf(screen)]
  if (list.rows.length > 0) return ['No loaded row matches.', 'Esc shows all again.']
  if (screen === 'log') return ['No messages.']
  if (list.failure !== undefined) return ['Nothing could be loaded. r tries again, ! shows the error.']
  if (!list.isComplete || list.isStale) return []
  if (screen === 'events') {
    if (listening) return [`No event yet. Senders reach this at ${safeText(listening.url)}`, 'T makes one up.']
    return ['No events are kept on this machine.', 'crm listen receives them; T makes one up and sends it.']
  }
  if (screen === 'jobs') return ['No jobs on this machine.', 'crm contacts import FILE makes a job, as b and w do.']
  const isNarrowed = Object.keys(list.serverFilters).length > 0
  return isNarrowed ? ['No record on the server matches. f changes the filter.'] : [`No ${screen} yet. n makes one.`]
}
