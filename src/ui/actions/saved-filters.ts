import type { SavedFilter } from '../../settings/browse-document.ts'
import { setFilter } from '../list/list-view.ts'
import { serverFilterText } from '../list/server-filters.ts'
import { screenLack } from '../offered.ts'
import { allScreens, isServerList, listOfScreen, type ScreenName } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Ui } from '../ui.ts'
import { openScreen } from './open-screen.ts'
import { submitFilters } from './server-filter.ts'

/** The words of `:` that save, open and forget what a screen shows. */
export const SAVING_WORDS = ['save', 'forget'] as const

const NAME = /^[a-z][\w-]{0,39}$/i

/** Why the name cannot be saved or forgotten; undefined when it can. */
export function savingRefusal(
  { saved, screen }: State,
  word: string,
  name: string,
  isTaken: (name: string) => boolean,
): string | undefined {
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
export async function saveFilter({ store, world, background }: Ui, word: string, name: string): Promise<void> {
  const state = store.get()
  const saved = word === 'save' ? shownAs(state) : undefined
  const { [name]: _, ...others } = state.saved
  store.update((now) => ({ ...now, saved: saved ? { ...others, [name]: saved } : others }))
  try {
    await world.setSaved(name, saved)
    background.notices.done(saved ? `:${name} shows ${savedText(saved)}` : `Forgot ${name}`)
  } catch (error) {
    background.notices.problem(error, 'Not kept for the next start: ')
  }
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

/** The screen of a saved filter, or why it cannot be shown. */
export function savedScreen(state: State, { screen }: SavedFilter): ScreenName | { readonly lack: string } {
  const found = allScreens().find((each) => each === screen)
  const lack = found ? screenLack(state, found) : `there is no screen ${screen}`
  return found && lack === undefined ? found : { lack: lack ?? '' }
}

export function openSaved(ui: Ui, saved: SavedFilter): void {
  const screen = savedScreen(ui.store.get(), saved)
  if (typeof screen !== 'string') return
  const list = listOfScreen(screen)
  ui.store.update((state) => withList(state, list, (each) => setFilter(each, saved.find)))
  if (isServerList(list)) openScreen(ui, screen, () => submitFilters(ui, list, saved.filter))
  else openScreen(ui, screen)
}
