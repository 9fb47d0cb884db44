import type { ScreenEntry } from '../screen-entry.ts'

/** The commands that would do what was done in this session. */
export const commandsScreen: ScreenEntry = {
  title: 'Commands',
  columns: [
    { name: 'time', head: 'TIME', least: 8, most: 8 },
    { name: 'command', head: 'COMMAND', least: 30, most: 400 },
  ],
  searched: ['command'],
  empty: () => ['Nothing was changed yet. Each change adds the command that does the same.'],
}
