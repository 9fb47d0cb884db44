import { textWidth } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import { screenLack } from '../offered.ts'
import { SCREENS, type ScreenName, SESSION_SCREENS, TITLES } from '../screens.ts'
import type { State } from '../state.ts'
import type { Theme } from './theme.ts'

/** The least useful width of the place. */
const LEAST_PLACE = 10

const LONGEST_PROFILE = 20

/** The screens, and the server; a protected profile is first, so that no width cuts it. */
export function headerLine(state: State, theme: Theme): string {
  const { place, columns } = state
  const badge = place.isProtected ? ` PROTECTED ${profileOf(place.text)} ` : ''
  const whole = tabsOf(state, true)
  const room = columns - textWidth(badge)
  const tabs = widthOf(whole) <= room ? whole : tabsOf(state, false)
  const left = room - widthOf(tabs)
  const painted = tabs.map(({ text, isOpen }) =>
    isOpen ? theme.bold(theme.accent(theme.inverse(text))) : theme.dim(text),
  )
  const where = left < LEAST_PLACE ? ' '.repeat(Math.max(0, left)) : `${fitCell(place.text, left - 1, 'right')} `
  return `${badge === '' ? '' : theme.danger(badge)}${painted.join('')}${theme.accent(where)}`
}

function profileOf(place: string): string {
  const [name = ''] = place.split(' ')
  return fitCell(name, Math.min(LONGEST_PROFILE, textWidth(name)))
}

interface Tab {
  readonly text: string
  readonly isOpen: boolean
}

/** With the number alone for screens that are not open, where the titles do not fit. */
function tabsOf(state: State, isWhole: boolean): readonly Tab[] {
  const shown = SCREENS.filter(
    (each) => each === state.screen || (!SESSION_SCREENS.includes(each) && screenLack(state, each) === undefined),
  )
  return shown.map((each) => {
    const isOpen = each === state.screen
    return {
      text: isOpen ? `[${keyOf(each)} ${TITLES[each]}]` : ` ${keyOf(each)}${isWhole ? ` ${TITLES[each]}` : ''} `,
      isOpen,
    }
  })
}

function keyOf(screen: ScreenName): string {
  if (screen === 'commands') return '@'
  return screen === 'log' ? '!' : String(SCREENS.indexOf(screen))
}

function widthOf(tabs: readonly Tab[]): number {
  return tabs.reduce((width, { text }) => width + textWidth(text), 0)
}
