import { shellWords } from '../../core/shell-words.ts'
import { setFilter } from '../list/list-view.ts'
import { filterProblem } from '../list/matcher.ts'
import { parseServerFilters } from '../list/server-filters.ts'
import { screenLack } from '../offered.ts'
import { allScreens, isServerList, listOfScreen, type ScreenName } from '../screens.ts'
import { type State, withList } from '../state.ts'
import { refusalOf } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { runById } from './keymap.ts'
import { goToRow } from './moving.ts'
import { openScreen } from './open-screen.ts'
import { openSaved, SAVING_WORDS, savedScreen, saveFilter, savingRefusal } from './saved-filters.ts'
import { submitFilters } from './server-filter.ts'
import { switchProfile } from './switch-profile.ts'

/** A line of `:` that is no name of a command: `deals stage=Won`, `profile staging`, `q`, `12`. */
interface Line {
  readonly word: string
  readonly rest: string
}

/** A word of a filter line, with its quotes. */
const RAW_WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s'"\\])+/gs

export function isCommandLine({ saved }: Pick<State, 'saved'>, text: string): boolean {
  const { word } = lineOf(text)
  return Object.hasOwn(saved, word) || isWordOfLines(word)
}

const WORDS: readonly string[] = ['profile', 'q', ...SAVING_WORDS]

function isWordOfLines(word: string): boolean {
  return WORDS.includes(word) || /^\d+$/.test(word) || screenOf(word) !== undefined
}

function isSavingWord(word: string): boolean {
  return SAVING_WORDS.some((each) => each === word)
}

/** Why the line cannot be run; undefined when it can. */
export function lineRefusal(ui: Ui, text: string): string | undefined {
  const { word, rest } = lineOf(text)
  const state = ui.store.get()
  if (word === 'profile') {
    if (!ui.world.profiles) return 'this screen belongs to a receiver, which has one profile'
    return rest === '' ? 'profile of which name? such as :profile staging' : undefined
  }
  if (isSavingWord(word))
    return savingRefusal(state, word, rest, (name) => isWordOfLines(name) || isNameOfAction(ui, name))
  const saved = Object.hasOwn(state.saved, word) ? state.saved[word] : undefined
  const screen = saved && rest === '' ? savedScreen(state, saved) : screenOf(word)
  if (typeof screen === 'object') return screen.lack
  if (!screen || saved) return rest === '' ? undefined : `${word} takes no more words`
  return screenRefusal(state, screen, rest)
}

function screenRefusal(state: State, screen: ScreenName, rest: string): string | undefined {
  const list = listOfScreen(screen)
  const lack = screenLack(state, screen)
  if (lack !== undefined || !isServerList(list)) return lack ?? filterProblem(rest)
  return (
    refusalOf(() => {
      if (rest !== '') shellWords(rest, 'filter')
      parseServerFilters(partsOf(rest).filters, list, state.offered.fields[list])
    }) ?? filterProblem(partsOf(rest).found)
  )
}

export function runLine(ui: Ui, text: string): void {
  const { word, rest } = lineOf(text)
  if (word === 'profile') return void switchProfile(ui, rest)
  if (word === 'q') return void runById(ui, 'quit')
  if (isSavingWord(word)) return void saveFilter(ui, word, rest)
  const saved = ui.store.get().saved[word]
  if (saved && !screenOf(word)) return void openSaved(ui, saved)
  const screen = screenOf(word)
  if (screen) showFiltered(ui, screen, rest)
  else goToRow(ui, Number(word))
}

/** The filter of the line replaces that of the screen; without one, the filter of the screen stays. */
function showFiltered(ui: Ui, screen: ScreenName, rest: string): void {
  const list = listOfScreen(screen)
  const find = (text: string) => ui.store.update((state) => withList(state, list, (each) => setFilter(each, text)))
  if (rest === '') return void openScreen(ui, screen)
  if (!isServerList(list)) {
    openScreen(ui, screen)
    return void find(rest)
  }
  const { filters, found } = partsOf(rest)
  find(found)
  openScreen(ui, screen, () => submitFilters(ui, list, filters))
}

/** Words with `=` filter on the server, and the others find text. */
function partsOf(rest: string): { readonly filters: string; readonly found: string } {
  const words = rest.match(RAW_WORD) ?? []
  const isFilter = (word: string) => /^[^\s'"=]+=/.test(word)
  return {
    filters: words.filter(isFilter).join(' '),
    found: words.filter((word) => !isFilter(word)).join(' '),
  }
}

function isNameOfAction({ keymap }: Ui, name: string): boolean {
  return keymap.actions.some(({ id }) => id === name)
}

export function lineOf(text: string): Line {
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(text) ?? []
  return { word, rest }
}

export function screenOf(word: string): ScreenName | undefined {
  return allScreens().find((screen) => screen === word)
}
