import type { ScreenEntry } from '../screen-entry.ts'

/** The messages of this session. */
export const logScreen: ScreenEntry = {
  title: 'Log',
  columns: [
    { name: 'time', head: 'TIME', least: 8, most: 8 },
    { name: 'message', head: 'MESSAGE', least: 30, most: 120 },
    { name: 'request_id', head: 'REQUEST', least: 12, most: 36 },
  ],
  searched: ['message', 'request_id'],
  empty: () => ['No messages.'],
}
