import { safeText } from '../../output/safe-text.ts'
import { isFollowed } from '../list/follows-new.ts'
import type { ScreenEntry } from '../screen-entry.ts'

export const eventsScreen: ScreenEntry = {
  title: 'Events',
  columns: [
    { name: 'received_at', head: 'RECEIVED', least: 8, most: 24, kind: 'time' },
    { name: 'event', head: 'EVENT', least: 16, most: 22 },
    { name: 'record_id', head: 'RECORD', least: 16, most: 20 },
    { name: 'state', head: 'STATE', least: 10, most: 28, isVital: true },
    { name: 'id', head: 'ID', least: 16, most: 30 },
  ],
  searched: ['event', 'record_id', 'state', 'id'],
  empty: ({ listening }) =>
    listening
      ? [`No event yet. Senders reach this at ${safeText(listening.url)}`, 'T makes one up.']
      : ['No events are kept on this machine.', 'crm listen receives them; T makes one up and sends it.'],
  status: (state) =>
    state.listening
      ? [`listening at ${safeText(state.listening.url)}`, ...(isFollowed(state) ? ['new ones come on top'] : [])]
      : ['events of all servers on this machine'],
}
