import { safeText } from '../../output/safe-text.ts'
import { currentRow } from '../list/list-state.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { State } from '../state.ts'

export const webhooksScreen: ScreenEntry = {
  title: 'Webhooks',
  columns: [
    { name: 'url', head: 'URL', least: 20, most: 60 },
    { name: 'status', head: 'STATE', least: 8, most: 10, isVital: true },
    { name: 'last', head: 'LAST', least: 6, most: 20, isNeverCut: true },
    { name: 'last_at', head: 'AT', least: 8, most: 24, kind: 'time' },
    { name: 'attempts', head: 'ATTEMPTS', least: 8, most: 9, align: 'right' },
    { name: 'failing', head: 'FAILING', least: 7, most: 9, align: 'right' },
    { name: 'events', head: 'EVENTS', least: 6, most: 40 },
    { name: 'id', head: 'ID', least: 15, most: 18 },
  ],
  searched: ['url', 'events', 'status', 'description', 'id'],
  lack: ({ webhooks }) => webhooks.lack,
  empty: () => ['No subscriptions.', 'n makes one, and crm listen its own.'],
  status: deliveriesText,
}

function deliveriesText({ lists, webhooks: { deliveriesLack } }: State): readonly string[] {
  if (deliveriesLack !== undefined) return [`no deliveries: ${safeText(deliveriesLack)}`]
  const row = currentRow(lists.webhooks)
  return typeof row?.older === 'string' ? [safeText(row.older)] : []
}
