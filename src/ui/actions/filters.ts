import { FIELDS, filtersOf, isReadOnly, resourceOf } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { serverList } from '../board.ts'
import { filterProblem, searchBlocks } from '../list/finding.ts'
import { type ListState, setFilter, shownCount } from '../list/list-state.ts'
import {
  completeFilter,
  type FilterWords,
  ignoredFilter,
  parseServerFilters,
  serverFilterText,
} from '../list/server-filters.ts'
import { isServerList, type ListName, listOfScreen, type ServerList } from '../screens.ts'
import { askFirst, askLine, type State, withList } from '../state.ts'
import { refusalOf } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { loadStages } from './open-screen.ts'

/** Filters while typing, from an empty line; Enter searches the rows that are not loaded, Esc shows the rows found before. */
export function openFilter(ui: Ui): void {
  const { store, background } = ui
  const name = listOfScreen(store.get().screen)
  const { filter, rows, searched } = store.get().lists[name]
  const apply = (text: string) => store.update((state) => withList(state, name, (list) => setFilter(list, text)))
  askLine(ui, {
    label: 'Find:',
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

export function askServerFilter(ui: Ui): void {
  const name = serverList(ui.store.get())
  if (name === 'deals') void loadStages(ui)
  askFilters(ui, name, serverFilterText(ui.store.get().lists[name].serverFilters), undefined)
}

function askFilters(ui: Ui, name: ServerList, text: string, problem: string | undefined): void {
  const parse = (typed: string) => parseServerFilters(typed, name, ui.store.get().offered.fields[name])
  askLine(ui, {
    label: `${name.charAt(0).toUpperCase()}${name.slice(1)} where:`,
    ...{ text, enter: 'loads them', problem },
    complete: (typed) => completeFilter(typed, filterWordsOf(ui.store.get(), name)),
    refusal: (typed) => refusalOf(() => parse(typed)),
    onSubmit: (typed) => void submitFilters(ui, name, typed),
  })
}

/** What can be typed: the filters of the server or connector, the stages, and the values of the loaded rows. */
export function filterWordsOf({ offered, board, lists }: State, name: ServerList): FilterWords {
  const resource = resourceOf(name)
  const filters = offered.fields[name]?.filters
  const ofContract = new Set([...filtersOf(resource), ...FIELDS[resource].filter((field) => !isReadOnly(field))])
  const names = filters === undefined || filters === 'any' ? [...ofContract] : filters
  const stages = board.stages?.map((stage) => cellText(stage.name)).filter((stage) => stage !== '')
  return { names, values: stages && name === 'deals' ? { stage: stages } : {}, rows: lists[name].rows }
}

export async function submitFilters(ui: Ui, name: ServerList, typed: string): Promise<void> {
  const problem = await applyFilters(ui, name, typed)
  if (problem !== undefined && !ui.store.get().overlay) askFilters(ui, name, typed, problem)
}

/** Why the request failed, in which case the loaded rows and their filters are kept. CrmError for an invalid text. */
export async function applyFilters(ui: Ui, name: ServerList, typed: string) {
  const { store, background } = ui
  const before = store.get().lists[name]
  const wanted = parseServerFilters(typed, name, store.get().offered.fields[name])
  store.update((state) => withList(state, name, (list) => ({ ...list, serverFilters: wanted })))
  await background.lists.reload(name)
  const { failure, rows, isStale, serverFilters } = store.get().lists[name]
  if (serverFilters !== wanted) return undefined
  const ignored = isStale ? undefined : ignoredFilter(wanted, rows)
  if (ignored !== undefined)
    background.notices.wait(`The server ignores ${ignored}: these rows are not only those; / finds among them`)
  if (!isStale) return undefined
  // The rows are still those of before, and as complete as they were.
  const kept = { serverFilters: before.serverFilters, isStale: before.isStale, failure: before.failure }
  if (rows.length > 0) store.update((state) => withList(state, name, (list) => ({ ...list, ...kept })))
  return failure?.text
}

/** Each page is a request, and nothing says how many there are. */
export function askLoadAll(ui: Ui, names: readonly ServerList[]): void {
  const { store, background } = ui
  const counts = names.map((name) => `${store.get().lists[name].rows.length} ${name}`).join(' and ')
  const loadAll = async () => {
    for (const name of names) await background.lists.all(name)
  }
  askFirst(ui, {
    ...{ title: `Load all ${names.join(' and ')}?`, verb: 'Load all', onConfirm: () => void loadAll() },
    lines: [
      `${counts} are loaded, and the server does not say how many there are.`,
      'Each page is a request; Esc stops it at any time.',
    ],
  })
}
