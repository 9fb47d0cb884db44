import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addEventsExport } from './events-export.ts'
import { addEventsList } from './events-list.ts'
import { addEventsShow } from './events-show.ts'

export function addEvents(webhooks: CommandUnknownOpts, act: Act): void {
  const events = webhooks.command('events').description('events that listeners of this machine have kept')
  addEventsList(events, act)
  addEventsShow(events, act)
  addEventsExport(events, act)
}
