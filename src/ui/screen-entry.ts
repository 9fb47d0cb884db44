import type { ReactNode } from 'react'
import type { Boards } from './board.ts'
import type { ListColumn } from './list/columns.ts'
import type { Areas } from './look/areas.ts'
import type { Theme } from './look/theme.ts'
import type { State } from './state.ts'

export type BodyProps = { readonly state: State; readonly areas: Areas; readonly theme: Theme; readonly boards: Boards }

export interface ScreenEntry {
  readonly title: string
  /** The last ones are left out first where they do not fit. */
  readonly columns: readonly ListColumn[]
  /** Members that `/` searches; all columns but times unless given. */
  readonly searched?: readonly string[]
  /** Why an empty list that was read is empty, and what makes a row: at most two lines. */
  readonly empty?: (state: State) => readonly string[]
  readonly lack?: (state: State) => string | undefined
  /** What the line above the rows says on this screen alone. */
  readonly status?: (state: State, boards: Boards) => readonly string[]
  /** Instead of the table of its rows. */
  readonly body?: (props: BodyProps) => ReactNode
}
