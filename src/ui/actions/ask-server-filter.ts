import { parseServerFilters, type ServerFilters, serverFilterText } from '../list/server-filters.ts'
import { showOverlay } from '../overlay-keys.ts'
import { withList } from '../state.ts'
import { refusalOf, textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

/** Asks for the filters of deals that the server applies; an empty text shows every deal. */
export function askServerFilter(ui: Ui): void {
  ask(ui, serverFilterText(ui.store.get().lists.deals.serverFilters), undefined)
}

function ask(ui: Ui, text: string, problem: string | undefined): void {
  showOverlay(ui, {
    type: 'prompt',
    label: 'Deals where:',
    input: textInput(text),
    problem,
    refusal: (typed) => refusalOf(() => parseServerFilters(typed)),
    onSubmit: (typed) => void apply(ui, typed),
  })
}

/** When the request fails, the loaded rows and their filters are kept. */
async function apply(ui: Ui, typed: string): Promise<void> {
  const { store, background } = ui
  const before = store.get().lists.deals.serverFilters
  const wanted = parseServerFilters(typed)
  setFilters(ui, wanted)
  await background.lists.reload('deals')
  const { failure, rows, isStale, serverFilters } = store.get().lists.deals
  if (!isStale || serverFilters !== wanted) return
  if (rows.length > 0) setFilters(ui, before)
  if (failure !== undefined && !store.get().overlay) ask(ui, typed, failure.text)
}

function setFilters({ store }: Ui, serverFilters: ServerFilters): void {
  store.update((state) => withList(state, 'deals', (list) => ({ ...list, serverFilters })))
}
