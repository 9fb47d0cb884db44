import { shellWords } from '../../core/shell-words.ts'
import { cellText } from '../../output/safe-text.ts'
import type { SavedFilter } from '../../settings/browse-document.ts'
import { filterProblem } from '../list/finding.ts'
import { setFilter } from '../list/list-state.ts'
import { completeFilter, parseServerFilters, serverFilterText } from '../list/server-filters.ts'
import { allScreens, isServerList, type ListName, listOfScreen, type ScreenName, screenLack } from '../screens.ts'
import { type State, withList } from '../state.ts'
import { refusalOf } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { filterWordsOf, submitFilters } from './filters.ts'
import { runById } from './keymap.ts'
import { leave } from './leave.ts'
import { goToRow } from './moving.ts'
import { openScreen } from './open-screen.ts'

const SAVING_WORDS = ['save', 'forget'] as const
const NAME = /^[a-z][\w-]{0,39}$/i

function savingRefusal({ saved, screen }: State, word: string, name: string, isTaken: (name: string) => boolean) {
  if (word === 'forget') {
    if (Object.hasOwn(saved, name)) return undefined
    const names = Object.keys(saved)
    return `nothing is saved as ${JSON.stringify(name)}${names.length === 0 ? '' : `, only ${names.join(', ')}`}`
  }
  if (!NAME.test(name)) return 'save as which name? such as :save big-deals'
  if (isTaken(name)) return `${name} is a word of : already`
  return screen === 'home' ? 'Home has no filter' : undefined
}

/** Remembers the screen with its filters of `f` and `/`, or forgets what has this name. */
async function saveFilter({ store, world, background }: Ui, word: string, name: string): Promise<void> {
  const state = store.get()
  const saved = word === 'save' ? shownAs(state) : undefined
  const { [name]: _, ...others } = state.saved
  store.update((now) => ({ ...now, saved: saved ? { ...others, [name]: saved } : others }))
  await background.notices.attempt('Not kept for the next start: ', async () => {
    await world.setSaved(name, saved)
    background.notices.done(saved ? `:${name} shows ${savedText(saved)}` : `Forgot ${name}`)
  })
}

function shownAs({ screen, lists }: State): SavedFilter {
  const { serverFilters, filter } = lists[listOfScreen(screen)]
  return { screen, filter: serverFilterText(serverFilters), find: filter }
}

/** `deals stage=Won, found for "acme"`. */
function savedText({ screen, filter, find }: SavedFilter): string {
  return (
    [screen, ...(filter === '' ? [] : [filter])].join(' ') + (find === '' ? '' : `, found for ${JSON.stringify(find)}`)
  )
}

function savedScreen(state: State, { screen }: SavedFilter): ScreenName | { readonly lack: string } {
  const found = allScreens().find((each) => each === screen)
  const lack = found ? screenLack(state, found) : `there is no screen ${screen}`
  return found && lack === undefined ? found : { lack: lack ?? '' }
}

function openSaved(ui: Ui, saved: SavedFilter): void {
  const screen = savedScreen(ui.store.get(), saved)
  if (typeof screen !== 'string') return
  const list = listOfScreen(screen)
  ui.store.update((state) => withList(state, list, (each) => setFilter(each, saved.find)))
  if (isServerList(list)) openScreen(ui, screen, () => submitFilters(ui, list, saved.filter))
  else openScreen(ui, screen)
}

async function switchProfile(ui: Ui, name: string): Promise<void> {
  await ui.background.notices.attempt('Profile not changed: ', async () => {
    await ui.world.profiles?.check(name)
    // Unless something else was opened in the meantime.
    if (!ui.store.get().overlay) leave(ui, name)
  })
}

/** A line of `:` that is no name of a command: `deals stage=Won`, `profile staging`, `q`, `12`. */
type Line = { readonly word: string; readonly rest: string }

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

export function lineRefusal(ui: Ui, text: string): string | undefined {
  const { word, rest } = lineOf(text)
  const state = ui.store.get()
  if (word === 'profile') {
    if (!ui.world.profiles) return 'this screen belongs to a receiver, which has one profile'
    return rest === '' ? 'profile of which name? such as :profile staging' : undefined
  }
  if (isSavingWord(word))
    return savingRefusal(
      state,
      word,
      rest,
      (name) => isWordOfLines(name) || ui.keymap.actions.some(({ id }) => id === name),
    )
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
  return { filters: words.filter(isFilter).join(' '), found: words.filter((word) => !isFilter(word)).join(' ') }
}

function lineOf(text: string): Line {
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(text) ?? []
  return { word, rest }
}

export function screenOf(word: string): ScreenName | undefined {
  return allScreens().find((screen) => screen === word)
}

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

function valuesOf(state: State, list: ListName): readonly string[] {
  const member = list === 'events' ? 'event' : 'state'
  const values = new Set(state.lists[list].rows.map((row) => cellText(row[member])))
  values.delete('')
  return [...values].toSorted()
}
