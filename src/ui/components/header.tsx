import { textWidth } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import type { Theme } from '../look/theme.ts'
import { screenLack } from '../offered.ts'
import { titleOf } from '../screens/all-screens.tsx'
import { allScreens, FIXED_SCREENS, type ScreenName, SESSION_SCREENS } from '../screens.ts'
import type { State } from '../state.ts'
import { Rows } from './rows.tsx'

/** The least useful width of the place. */
const LEAST_PLACE = 10

/** A longer place is cut before the titles of the tabs. */
const MOST_PLACE = 28

const LONGEST_PROFILE = 20

/** The screens, and the server; a protected profile is first, so that no width cuts it. */
export function Header({ state, theme }: { readonly state: State; readonly theme: Theme }) {
  return <Rows lines={[headerLine(state, theme)]} />
}

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

/** The screen whose tab is drawn there. */
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

interface Tab {
  readonly screen: ScreenName
  readonly text: string
  readonly isOpen: boolean
}

/** With the number alone for screens that are not open, where the titles do not fit. */
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
