import { textWidth } from '../../output/terminal-text.ts'
import { keyLabel } from '../actions/keymap.ts'
import { fitCell } from '../list/columns.ts'
import { allScreens, isOnScreen } from '../screens.ts'
import type { State } from '../state.ts'
import type { Action } from '../ui.ts'
import type { Drawing } from './overlay.tsx'
import { Rows } from './rows.tsx'

/** As many keys as fit: those of all screens first, then those of this screen that can run now. */
export function Footer({ state, drawing }: { readonly state: State; readonly drawing: Drawing }) {
  return <Rows lines={[footerLine(state, drawing)]} />
}

function footerLine(state: State, { theme, keymap }: Drawing): string {
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
