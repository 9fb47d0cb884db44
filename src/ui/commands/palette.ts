import { filterWords, matchWords, NO_MATCH } from '../list/match.ts'
import type { State } from '../state.ts'
import type { Command } from './command.ts'
import type { Keymap } from './keymap.ts'

/** Commands of this screen whose title or id the text finds. */
export function findCommands({ commands }: Keymap, { screen }: State, text: string): readonly Command[] {
  const words = filterWords(text)
  return commands.filter(
    ({ id, title, screens }) =>
      (screens?.includes(screen) ?? true) && matchWords(`${title} ${id}`.toLowerCase(), words) !== NO_MATCH,
  )
}
