import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { safeText } from '../../output/safe-text.ts'
import { loadHome } from '../actions/open-screen.ts'
import { applyFilters } from '../actions/server-filter.ts'
import type { HomeRow } from '../home/section.ts'
import { homeSections } from '../home/sections.ts'
import { filterProblem } from '../list/matcher.ts'
import { screenLack } from '../offered.ts'
import { titleOf } from '../screens/all-screens.tsx'
import { serverList } from '../selected.ts'
import { CHANGING_COMMANDS } from './changing.ts'
import { firstWord } from './command-text.ts'
import { JOB_COMMANDS } from './job-commands.ts'
import { PLAIN_LISTS, PLAIN_SCREENS, type Plain, type PlainCommand } from './plain.ts'
import { recordLines } from './row-text.ts'
import { WEBHOOK_COMMANDS } from './webhook-commands.ts'

export const KEYS = 'Enter: next rows. A number: that record. /text: find. r: from the start. ?: all commands. q: quit.'

/** In the order in which `?` says them. */
const COMMANDS: readonly PlainCommand[] = [
  {
    word: 'where',
    usage: 'FILTERS',
    title: 'filter on the server: where stage="Closed Won"; where alone shows all',
    screens: PLAIN_LISTS,
    run: async ({ store, background, listing, say }, rest) => {
      const problem = await applyFilters({ store, background }, serverList(store.get()), rest)
      if (problem !== undefined) return say(`Error: ${problem}`)
      await listing.open(listing.screen())
    },
  },
  {
    word: 'all',
    usage: '',
    title: 'load all rows, a request for each page; Ctrl-C stops',
    screens: [...PLAIN_LISTS, 'pipelines'],
    run: ({ listing }) => listing.loadAll(),
  },
  {
    word: 'home',
    usage: '',
    title: 'say the pipeline, amounts by owner, stale deals, new records and the last jobs',
    run: sayHome,
  },
  ...CHANGING_COMMANDS,
  ...JOB_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...PLAIN_SCREENS.map(
    (screen): PlainCommand => ({
      word: screen,
      usage: '',
      title: `go to ${titleOf(screen)}`,
      refusal: (state) => screenLack(state, screen),
      run: ({ listing }) => listing.open(screen),
    }),
  ),
]

/** Does what a typed line asks for. CrmError is said; any other error is a bug. */
export async function answerLine(plain: Plain, text: string): Promise<void> {
  try {
    await answer(plain, text)
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    plain.say(`Error: ${safeText(`${error.message}; ${error.details.hint}`)}`)
  }
}

async function answer(plain: Plain, text: string): Promise<void> {
  const { listing, say, store } = plain
  if (text === '') return listing.next()
  if (text === 'r') return listing.reload()
  if (text === '?') return sayHelp(plain)
  if (text.startsWith('/')) return find(plain, text.slice(1))
  if (/^\d+$/.test(text)) return sayRow(plain, Number(text))
  const [word, rest] = firstWord(text)
  const here = COMMANDS.filter(({ screens }) => screens?.includes(listing.screen()) ?? true)
  const command = here.find((each) => each.word === word)
  if (!command) {
    const other = COMMANDS.find((each) => each.word === word)
    if (other) return say(`${word} works in ${other.screens?.join(' and ')}. ${KEYS}`)
    const meant = nearest(
      word,
      here.map((each) => each.word),
    )
    return say(`${safeText(word)} is not a command. ${meant === undefined ? '' : `Did you mean ${meant}? `}${KEYS}`)
  }
  const refusal = command.refusal?.(store.get())
  if (refusal !== undefined) return say(`${word}: ${safeText(refusal)}`)
  await command.run(plain, rest)
}

function find({ listing, say }: Plain, text: string): Promise<void> | void {
  const problem = filterProblem(text)
  return problem === undefined ? listing.find(text) : say(`Error: ${problem}`)
}

/** A stage is opened; of any other row every member is said. */
async function sayRow({ listing, say }: Plain, number: number): Promise<void> {
  const row = listing.row(number)
  if (!row) return say('There is no row with that number.')
  if (listing.screen() === 'pipelines') return listing.open('deals', String(row.stage))
  for (const line of recordLines(row)) say(line)
}

function sayHelp({ listing, say, store }: Plain): void {
  say(KEYS)
  say('NUMBERS are 3, or 1-4,9, or all for every loaded row that is found.')
  for (const { word, usage, title, screens, refusal } of COMMANDS) {
    if (!(screens?.includes(listing.screen()) ?? true) || refusal?.(store.get()) !== undefined) continue
    say(`${usage === '' ? word : `${word} ${usage}`}: ${title}`)
  }
}

/** Says the figures of the home screen, one a line. */
async function sayHome({ store, background, world, say }: Plain): Promise<void> {
  await loadHome({ store, background, world })
  for (const { title, basis, rows, notes } of homeSections(store.get()).flat()) {
    say(`${title}: ${basis}.`)
    for (const row of rows) say(`  ${rowText(row)}`)
    for (const note of notes) say(`  ${note}`)
  }
}

function rowText({ label, values }: HomeRow): string {
  return `${label}: ${values.filter((value) => value !== '').join(', ')}`
}
