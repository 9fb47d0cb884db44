import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { loadStages } from '../actions/open-screen.ts'
import { type ListState, rowId, shownCount, shownRow } from '../list/list-state.ts'
import { setFilter } from '../list/list-view.ts'
import { offeredColumns } from '../list/shown-columns.ts'
import { isServerList, type ListName, listOfScreen, type ServerList } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Listing, Plain, PlainScreen } from './plain.ts'
import { rowText, stageRow } from './row-text.ts'

const ROWS_AT_ONCE = 10
const COLUMNS_SAID = 4

type Parts = Omit<Plain, 'listing' | 'ask'> & {
  /** Messages that wait until the rows before them are said. */
  readonly held: <Result>(work: () => Promise<Result>) => Promise<readonly string[]>
  /** Resolves when it is known what the server offers. */
  readonly learned: Promise<void>
}

export function createListing(parts: Parts): Listing {
  const { store, background, say, held, learned } = parts
  let screen: PlainScreen = 'contacts'
  let stage: string | undefined
  let numbered: CrmRecord[] = []
  let problems: readonly string[] = []

  const list = () => store.get().lists[listOfScreen(screen)]
  const found = () => foundRows(parts, screen, stage)

  /** Until ten more rows are loaded, or no further ones can be. */
  async function loadEnough(name: ServerList): Promise<void> {
    if (screen === 'pipelines') {
      if (list().rows.length === 0) await background.lists.more(name)
      return loadStages(parts)
    }
    const hasEnough = () => found().length >= positionAfter(numbered, found()) + ROWS_AT_ONCE
    while (!list().isComplete && list().failure === undefined && !hasEnough()) {
      const before = list()
      await background.lists.more(name)
      // Cancelled, or nothing more can be requested.
      if (list().rows === before.rows && list().isComplete === before.isComplete) return
    }
  }

  async function next(): Promise<void> {
    const name = listOfScreen(screen)
    const notes = isServerList(name) ? await held(() => Promise.all([loadEnough(name), learned])) : []
    if (notes.length > 0) problems = notes
    const columns = offeredColumns(store.get(), name).slice(0, COLUMNS_SAID)
    const rows = found()
    const from = positionAfter(numbered, rows)
    const said = rows.slice(from, screen === 'pipelines' ? undefined : from + ROWS_AT_ONCE)
    const end = from + said.length
    for (const row of said) say(`${numbered.push(row)}. ${rowText(screen, row, columns)}`)
    say(endText(list(), { what: stage ?? screen, isNone: said.length === 0, end, count: rows.length }))
    if (end === rows.length && list().failure !== undefined) for (const note of problems) say(note)
  }

  /** Reads what is not paged, and gives the messages of what is. */
  async function look(work: (name: ServerList) => Promise<void>): Promise<readonly string[]> {
    const name = listOfScreen(screen)
    if (isServerList(name)) return held(() => work(name))
    await lookAt(name, parts)
    return []
  }

  async function begin(): Promise<void> {
    numbered = []
    await next()
  }

  return {
    screen: () => screen,
    open: async (to, ofStage) => {
      screen = to
      stage = ofStage
      store.update((state) => ({ ...state, screen: to }))
      await look(async () => {})
      await begin()
    },
    next,
    find: (text) => {
      store.update((state) => withList(state, listOfScreen(screen), (before) => setFilter(before, text)))
      return begin()
    },
    reload: async () => {
      problems = await look(background.lists.reload)
      await begin()
    },
    loadAll: async () => {
      problems = await look(background.lists.all)
      await begin()
    },
    row: (number) => {
      const said = numbered[number - 1]
      const id = rowId(said)
      return id === undefined || screen === 'pipelines' ? said : (list().rows.find((row) => rowId(row) === id) ?? said)
    },
    found,
  }
}

async function lookAt(name: ListName, { store, background, held, say }: Parts): Promise<void> {
  if (name === 'jobs') return background.jobs.look()
  if (name === 'events') return background.events.look()
  if (name !== 'webhooks') return
  const notes = await held(background.webhooks.look)
  for (const note of [...notes, ...lacksOf(store.get())]) say(note)
}

function lacksOf({ webhooks: { lack, deliveriesLack } }: State): readonly string[] {
  return lack !== undefined ? [lack] : deliveriesLack === undefined ? [] : [`No deliveries: ${deliveriesLack}`]
}

/** Of pipelines, a row for each stage. */
function foundRows({ store, boards }: Parts, screen: PlainScreen, stage: string | undefined): readonly CrmRecord[] {
  const { board, lists } = store.get()
  if (screen === 'pipelines') return boards(lists.deals, board.stages).map(stageRow)
  const list = lists[listOfScreen(screen)]
  const rows = Array.from({ length: shownCount(list) }, (_, position) => shownRow(list, position) ?? {})
  return stage === undefined ? rows : rows.filter((row) => (cellText(row.stage) || '(none)') === stage)
}

/** The position after the last row that was said, wherever that is now. */
function positionAfter(numbered: readonly CrmRecord[], rows: readonly CrmRecord[]): number {
  const last = numbered.at(-1)
  if (!last) return 0
  const id = rowId(last)
  const at = rows.findIndex((row) => row === last || (id !== undefined && rowId(row) === id))
  return at < 0 ? Math.min(numbered.length, rows.length) : at + 1
}

interface Said {
  readonly what: string
  readonly isNone: boolean
  readonly end: number
  readonly count: number
}

function endText(list: ListState, { what, isNone, end, count }: Said): string {
  if (isNone) return noneText(list, what)
  return what === 'pipelines' ? loadedText(list) : countText(list, end, count)
}

function loadedText({ isComplete, rows }: ListState): string {
  return `Of ${rows.length} loaded deals${isComplete ? '' : '; all loads the rest'}.`
}

function noneText({ filter, isComplete, rows }: ListState, what: string): string {
  if (isComplete) return filter === '' ? `No more ${what}.` : `No more ${what} found.`
  return filter === '' ? `No more ${what} are loaded.` : `No more found among the ${rows.length} loaded ${what}.`
}

function countText({ filter, isComplete, rows }: ListState, end: number, count: number): string {
  const among = filter === '' || isComplete ? '' : `, found among the ${rows.length} loaded`
  return `${end} of ${count}${isComplete ? '' : ' or more'}${among}.`
}
