import { safeText } from '../../output/safe-text.ts'
import { textWidth } from '../../output/terminal-text.ts'
import { keyLabel } from '../actions/keymap.ts'
import type { Boards } from '../board.ts'
import { fitCell } from '../list/columns.ts'
import { hiddenMarkCount, type ListState, type LoadFailure, shownCount } from '../list/list-state.ts'
import { serverFilterText } from '../list/server-filters.ts'
import { areasOf } from '../look/areas.ts'
import type { Theme } from '../look/theme.ts'
import { entryOf, titleOf } from '../screens/all-screens.tsx'
import {
  allScreens,
  FIXED_SCREENS,
  isOnScreen,
  listOfScreen,
  type ScreenName,
  SESSION_SCREENS,
  screenLack,
} from '../screens.ts'
import type { State } from '../state.ts'
import { underWayText } from '../text/change-text.ts'
import type { Action } from '../ui.ts'
import type { Drawing } from './overlay.tsx'
import { visibleTop } from './table.tsx'

const LEAST_PLACE = 10
/** A longer place is cut before the titles of the tabs. */
const MOST_PLACE = 28
const LONGEST_PROFILE = 20

/** The screens, and the server; a protected profile is first, so that no width cuts it. */
export function headerLine(state: State, theme: Theme): string {
  const { place, columns } = state
  const badge = badgeOf(place)
  const room = columns - textWidth(badge)
  const tabs = fittingTabs(state, room)
  const left = room - widthOf(tabs)
  const painted = tabs.map(({ text, isOpen }) =>
    isOpen ? theme.bold(theme.accent(theme.inverse(text))) : theme.dim(text),
  )
  const where = left < LEAST_PLACE ? ' '.repeat(Math.max(0, left)) : `${fitCell(place.text, left - 1, 'right')} `
  return `${badge === '' ? '' : theme.danger(badge)}${painted.join('')}${theme.accent(where)}`
}

export function tabAt(state: State, x: number): ScreenName | undefined {
  const badge = textWidth(badgeOf(state.place))
  let end = badge
  return fittingTabs(state, state.columns - badge).find(({ text }) => {
    const start = end
    end += textWidth(text)
    return x >= start && x < end
  })?.screen
}

function badgeOf(place: State['place']): string {
  return place.isProtected ? ` PROTECTED ${profileOf(place.text)} ` : ''
}

/** Profile and server are shown at every width: numbers alone for the other screens where titles would take their room. */
function fittingTabs(state: State, room: number): readonly Tab[] {
  const whole = tabsOf(state, true)
  const wanted = Math.min(MOST_PLACE, textWidth(state.place.text)) + 2
  return widthOf(whole) + wanted <= room ? whole : tabsOf(state, false)
}

function profileOf(place: string): string {
  const [name = ''] = place.split(' ')
  return fitCell(name, Math.min(LONGEST_PROFILE, textWidth(name)))
}

type Tab = { readonly screen: ScreenName; readonly text: string; readonly isOpen: boolean }

function tabsOf(state: State, isWhole: boolean): readonly Tab[] {
  const hasTab = (each: ScreenName) => FIXED_SCREENS.some((fixed) => fixed === each) && !SESSION_SCREENS.includes(each)
  const shown = allScreens().filter(
    (each) => each === state.screen || (hasTab(each) && screenLack(state, each) === undefined),
  )
  return shown.map((each) => {
    const isOpen = each === state.screen
    return {
      screen: each,
      text: isOpen
        ? `[${`${keyOf(each)} ${titleOf(each)}`.trim()}]`
        : ` ${keyOf(each)}${isWhole ? ` ${titleOf(each)}` : ''} `,
      isOpen,
    }
  })
}

function keyOf(screen: ScreenName): string {
  if (screen === 'commands') return '@'
  if (screen === 'log') return '!'
  const at = (FIXED_SCREENS as readonly string[]).indexOf(screen)
  return at < 0 ? '' : String(at)
}

function widthOf(tabs: readonly Tab[]): number {
  return tabs.reduce((width, { text }) => width + textWidth(text), 0)
}

/** The visible rows, and the number as far as known: `1-37 of 400+`. */
function rangeText(state: State, list: ListState): string {
  const { rows, droppedCount, isComplete, isDetailOpen } = list
  const count = shownCount(list)
  if (rows.length === 0 && !isComplete) return 'nothing loaded yet'
  const height = areasOf(state, isDetailOpen).listRows
  const top = visibleTop(list, height)
  const first = droppedCount + (count === 0 ? 0 : top + 1)
  return `${first}-${droppedCount + Math.min(top + height, count)} of ${totalText(list)}`
}

function totalText(list: ListState): string {
  const { droppedCount, rows, filter, isComplete, only } = list
  return `${filter === '' ? droppedCount + rows.length : shownCount(list)}${isComplete || only !== undefined ? '' : '+'}`
}

export function statusLine(state: State, boards: Boards, theme: Theme): string {
  const list = state.lists[listOfScreen(state.screen)]
  const loaded = `the ${list.droppedCount + list.rows.length} loaded`
  const parts = [
    state.screen === 'pipelines' ? `${totalText(list)} deals` : rangeText(state, list),
    ...(list.only === undefined ? [] : [`${safeText(list.only)} (r shows all)`]),
    ...(list.failure === undefined ? [] : [failureText(list, list.failure)]),
    ...findingPart(list),
    ...(Object.keys(list.serverFilters).length > 0 ? [safeText(serverFilterText(list.serverFilters))] : []),
    ...(list.sort
      ? [`${list.isComplete ? '' : `${loaded} `}sorted by ${list.sort.by}${list.sort.isDescending ? ' ↓' : ' ↑'}`]
      : []),
    ...marksPart(list),
    // A bar shows it.
    ...(state.underWay[0]?.progress ? [] : underWayText(state)),
    ...(entryOf(state.screen).status?.(state, boards) ?? []),
    ...agePart(state, list),
    ...(list.news > 0 ? [`${list.news} new (r shows)`] : []),
    ...(state.isSlow ? ['loading … (Esc stops)'] : []),
  ]
  return theme.dim(fitCell(` ${parts.join(' · ')}`, state.columns))
}

function marksPart(list: ListState): readonly string[] {
  const { size } = list.marks
  const hidden = hiddenMarkCount(list)
  if (size === 0) return []
  return [hidden === 0 ? `${size} marked` : `${size} marked, ${hidden === size ? '' : `${hidden} `}not shown`]
}

function findingPart({ filter, loading, droppedCount, rows }: ListState): readonly string[] {
  if (filter === '') return []
  const rest = loading === 'all' ? ', searching the rest' : ''
  return [`found for "${safeText(filter)}" among the ${droppedCount + rows.length} loaded${rest}`]
}

function failureText({ rows }: ListState, { isOfAnswer }: LoadFailure): string {
  if (!isOfAnswer) return 'not complete (r tries again)'
  return rows.length > 0 ? 'end of list unknown: crm doctor' : 'not a list that crm can read: crm doctor'
}

/** Nothing for what is fresh. */
function agePart({ times }: State, { readAtMs, isRefreshRefused }: ListState): readonly string[] {
  if (readAtMs === undefined) return []
  if (isRefreshRefused) return [`not refreshed since ${new Date(readAtMs).toTimeString().slice(0, 5)}`]
  const minutes = Math.floor((times.nowMs - readAtMs) / MINUTE_MS)
  if (minutes < 1) return []
  return [`as of ${minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`} ago`]
}

const MINUTE_MS = 60_000

/** As many keys as fit: those of all screens first, then those of this screen that can run now. */
export function footerLine(state: State, { theme, keymap }: Drawing): string {
  const { screen, columns, pendingKeys } = state
  if (pendingKeys !== '') return fitCell(` ${keyLabel(pendingKeys)} …`, columns)
  const here = keymap.actions.filter(
    ({ footer, screens, refusal }) =>
      footer !== undefined && isOnScreen(screens, screen) && refusal?.(state) === undefined,
  )
  let line = ' '
  for (const { id, footer } of here.toSorted((one, other) => footerRank(one) - footerRank(other))) {
    const [keys] = keymap.keysOf(id)
    if (keys === undefined) continue
    const part = `${keyLabel(keys)} ${footer}  `
    if (textWidth(line + part) - 2 > columns) break
    line += part
  }
  return theme.dim(fitCell(line.trimEnd(), columns))
}

function footerRank({ isAlwaysFirst, screens }: Action): number {
  return isAlwaysFirst ? 0 : (screens?.length ?? allScreens().length)
}
