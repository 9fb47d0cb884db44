import { createInterface } from 'node:readline/promises'
import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import { CrmError } from '../core/errors.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { safeText } from '../output/safe-text.ts'
import { cellText } from '../output/value-text.ts'
import { offeredByConnector } from './background/learn-offered.ts'
import type { ListColumn } from './list/columns.ts'
import { emptyList, type ListState, shownCount, shownRow, takePage } from './list/list-state.ts'
import { setFilter } from './list/list-view.ts'
import { offeredColumns } from './offered.ts'
import { SEARCHED, type ServerList } from './screens.ts'

export interface PlainOptions {
  readonly name: ServerList
  readonly api: Api
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly signal: AbortSignal
}

const ROWS_AT_ONCE = 10
const LONGEST_SAID = 400
const KEYS = 'Enter: next rows. A number: that record. /text: find. r: from the start. q: quit.'

/** Plain lines, never redrawn: for screen readers and simple terminals. */
export async function openPlain({ name, api, stdin, stdout, signal }: PlainOptions): Promise<void> {
  const say = (line: string) => void stdout.write(`${line}\n`)
  const columns = offeredColumns({ offered: offeredByConnector(api.connector) }, name).slice(0, 4)
  const lines = createInterface({ input: stdin, output: stdout })
  let pages = api[name].list({ signal })[Symbol.asyncIterator]()
  let list: ListState = emptyList('name')
  let next = 0
  let failure: CrmError | undefined

  /** Until ten more rows are loaded, or no further ones can be. */
  async function load(): Promise<void> {
    try {
      while (shownCount(list) < next + ROWS_AT_ONCE && !list.isComplete && !failure) {
        list = await withPage(list, pages, name)
      }
    } catch (error) {
      if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
      failure = error
    }
  }

  async function sayRows(): Promise<void> {
    await load()
    const end = Math.min(next + ROWS_AT_ONCE, shownCount(list))
    const isNone = next >= end
    for (; next < end; next++) say(`${next + 1}. ${rowText(shownRow(list, next), columns)}`)
    say(isNone ? noneText(list, name) : countText(list, end))
    if (failure && end === shownCount(list)) say(`Error: ${failure.message}. ${failure.details.hint}`)
  }

  /** A list that could not be loaded is requested again. */
  function restart(): void {
    next = 0
    if (!failure) return
    failure = undefined
    pages = api[name].list({ signal })[Symbol.asyncIterator]()
    list = { ...emptyList('name'), filter: list.filter }
  }

  async function answer(text: string): Promise<void> {
    if (text.startsWith('/')) list = setFilter(list, text.slice(1))
    if (text.startsWith('/')) next = 0
    else if (text === 'r') restart()
    else if (/^\d+$/.test(text)) return void sayRecord(shownRow(list, Number(text) - 1), say)
    else if (text !== '') return say(`${safeText(text)} is not a command. ${KEYS}`)
    return sayRows()
  }

  signal.addEventListener('abort', () => lines.close())
  say(`${name}. ${KEYS}`)
  try {
    for (let text = ''; text !== 'q'; text = (await lines.question('> ', { signal })).trim()) {
      await answer(text)
    }
  } catch (error) {
    // Ctrl-C and Ctrl-D end the question.
    if (!(error instanceof Error && /^(?:AbortError|ERR_USE_AFTER_CLOSE)$/.test(codeOf(error)))) throw error
  } finally {
    lines.close()
    await pages.return?.()
  }
}

function noneText({ filter, isComplete, rows }: ListState, name: ServerList): string {
  if (isComplete) return filter === '' ? `No more ${name}.` : `No more ${name} found.`
  return filter === '' ? `No more ${name} are loaded.` : `No more found among the ${rows.length} loaded ${name}.`
}

function countText(list: ListState, end: number): string {
  const { filter, isComplete, rows } = list
  const among = filter === '' || isComplete ? '' : `, found among the ${rows.length} loaded`
  return `${end} of ${shownCount(list)}${isComplete ? '' : ' or more'}${among}.`
}

function codeOf(error: Error): string {
  return 'code' in error && error.code === 'ERR_USE_AFTER_CLOSE' ? 'ERR_USE_AFTER_CLOSE' : error.name
}

async function withPage(list: ListState, pages: AsyncIterator<Page>, name: ServerList): Promise<ListState> {
  const { value, done } = await pages.next()
  const { items, nextCursor }: Page = done ? { items: [], nextCursor: undefined } : value
  return takePage(list, { items, nextCursor, isOpen: done !== true, searched: SEARCHED[name] })
}

function rowText(row: CrmRecord | undefined, columns: readonly ListColumn[]): string {
  const values = columns.map((column) => cellText(row?.[column.name]).slice(0, 80))
  return values.filter((value) => value !== '').join(', ')
}

function sayRecord(row: CrmRecord | undefined, say: (line: string) => void): void {
  if (!row) return void say('There is no row with that number.')
  for (const [member, value] of Object.entries(row)) {
    const text = cellText(value)
    // A screen reader would read the rest aloud.
    const cut = text.length > LONGEST_SAID ? `${text.slice(0, LONGEST_SAID)}… (${text.length} characters)` : text
    say(`${safeText(member)}: ${cut}`)
  }
}
