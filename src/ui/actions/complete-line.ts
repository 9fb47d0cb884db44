import { cellText } from '../../output/safe-text.ts'
import { completeFilter } from '../list/complete-filter.ts'
import { screenLack } from '../offered.ts'
import { allScreens, isServerList, type ListName, listOfScreen } from '../screens.ts'
import type { State } from '../state.ts'
import type { Ui } from '../ui.ts'
import { lineOf, screenOf } from './command-line.ts'
import { SAVING_WORDS } from './saved-filters.ts'
import { filterWordsOf } from './server-filter.ts'

/** Completes a line of `:`, from its first word to the values of a filter. */
export function completeLine({ store, world }: Ui): (text: string) => readonly string[] {
  return (text) => {
    const state = store.get()
    const line = text.trimStart()
    const blank = line.indexOf(' ')
    if (blank < 0) return line === '' ? [] : firstWords(state, world.profiles !== undefined, line)
    const [lead, rest] = [line.slice(0, blank + 1), line.slice(blank + 1)]
    return restOf(state, lineOf(line).word, rest).map((each) => lead + each)
  }
}

function firstWords(state: State, hasProfiles: boolean, start: string): readonly string[] {
  const screens = allScreens().filter((screen) => screenLack(state, screen) === undefined)
  const words = [...screens, ...Object.keys(state.saved), ...SAVING_WORDS, ...(hasProfiles ? ['profile'] : [])]
  return words.filter((word) => word.startsWith(start)).map((word) => `${word} `)
}

function restOf(state: State, word: string, rest: string): readonly string[] {
  if (word === 'profile') {
    const names = state.overlay?.type === 'palette' ? state.overlay.profiles : []
    return names.filter((name) => name.startsWith(rest))
  }
  if (word === 'forget') return Object.keys(state.saved).filter((name) => name.startsWith(rest))
  const screen = screenOf(word)
  if (!screen) return []
  const list = listOfScreen(screen)
  if (isServerList(list)) return completeFilter(rest, filterWordsOf(state, list))
  return valuesOf(state, list).filter((value) => value.startsWith(rest))
}

/** The values that a list of this machine is usually searched for. */
function valuesOf(state: State, list: ListName): readonly string[] {
  const member = list === 'events' ? 'event' : 'state'
  const values = new Set(state.lists[list].rows.map((row) => cellText(row[member])))
  values.delete('')
  return [...values].toSorted()
}
