import { type ListState, shownCount } from '../list/list-state.ts'
import { setFilter } from '../list/list-view.ts'
import { filterProblem } from '../list/matcher.ts'
import { searchBlocks } from '../list/search-text.ts'
import { isServerList, type ListName, listOfScreen } from '../screens.ts'
import { showOverlay } from '../show-overlay.ts'
import { withList } from '../state.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

/** Filters while typing, from an empty line; Enter searches the rows that are not loaded, Esc shows the rows found before. */
export function openFilter(ui: Ui): void {
  const { store, background } = ui
  const name = listOfScreen(store.get().screen)
  const { filter, rows, searched } = store.get().lists[name]
  const apply = (text: string) => store.update((state) => withList(state, name, (list) => setFilter(list, text)))
  showOverlay(ui, {
    type: 'prompt',
    label: 'Find:',
    input: textInput(),
    enter: () => (isRestSearched(store.get().lists[name], name) ? 'searches the rest' : 'keeps these rows'),
    note: () => {
      const list = store.get().lists[name]
      const found = `${list.filter === '' ? '' : `${shownCount(list)} of `}${list.rows.length} loaded`
      const kinds = '~text fuzzy, /text/ regular expression'
      if (!isRestSearched(list, name)) return `${found} · ${kinds}`
      return `${found}; Enter searches the rest, a request for each page · ${kinds}`
    },
    refusal: filterProblem,
    onChange: apply,
    onSubmit: () => {
      if (isServerList(name)) void background.search(name)
    },
    onCancel: () => apply(filter),
  })
  // After the frame with the question, so that the first letter need not wait for the texts of all rows.
  setImmediate(() => searchBlocks(rows, searched))
}

function isRestSearched({ filter, isComplete, failure }: ListState, name: ListName): boolean {
  return filter !== '' && isServerList(name) && !isComplete && failure?.isOfAnswer !== true
}
