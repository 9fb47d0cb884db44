import { filterWords, matchWords, NO_MATCH } from '../list/match.ts'
import type { State } from '../state.ts'
import type { Action, Keymap } from '../ui.ts'

/** The actions of this screen whose title or id matches the text. */
export function findActions({ actions }: Keymap, { screen }: State, text: string): readonly Action[] {
  const words = filterWords(text)
  return actions.filter(
    ({ id, title, screens }) =>
      (screens?.includes(screen) ?? true) && matchWords(`${title} ${id}`.toLowerCase(), words) !== NO_MATCH,
  )
}
