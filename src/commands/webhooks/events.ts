import type { Noun } from '../command-tree.ts'
import { addEventsExport } from './events-export.ts'
import { addEventsList } from './events-list.ts'
import { addEventsShow } from './events-show.ts'

export const EVENTS: Noun = {
  description: 'events that listeners of this machine have kept',
  commands: {
    list: addEventsList,
    show: addEventsShow,
    export: addEventsExport,
  },
}
