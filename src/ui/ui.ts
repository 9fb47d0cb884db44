import type { Api } from '../api/api.ts'
import type { Env } from '../core/streams.ts'
import type { BrowseDocument } from '../settings/browse-document.ts'
import type { Background } from './background/background.ts'
import type { Boards } from './board.ts'
import type { Confirmation } from './overlay.ts'
import type { ScreenName, ScreenOrObjects } from './screens.ts'
import type { State, StateStore } from './state.ts'

export interface Profiles {
  names(): Promise<readonly string[]>
  /** CrmError for a profile that does not exist, or whose server cannot be asked. */
  check(name: string): Promise<void>
}

export interface World extends Pick<BrowseDocument, 'setFirst' | 'setSaved' | 'setTheme'> {
  readonly openApi: () => Promise<Api>
  readonly env: Env
  readonly now: () => number
  /** The address that events are already forwarded to; undefined for none. */
  readonly sendsTo: string | undefined
  readonly profileFlag: string | undefined
  /** Writes a sequence that draws nothing directly to the terminal. */
  readonly writeRaw: (text: string) => void
  /** Stops the process until the shell continues it; undefined where that is not possible. */
  readonly pauseProcess: (() => Promise<void>) | undefined
  /** Runs a crm command on the terminal, waits for Enter, and returns the exit code. Call it in `suspend`. */
  readonly runCrm: (words: readonly string[]) => Promise<number>
  /** Undefined where the screens belong to one profile. */
  readonly profiles: Profiles | undefined
}

export interface Ui {
  readonly store: StateStore<State>
  readonly world: World
  readonly background: Background
  readonly keymap: Keymap
  readonly boards: Boards
  /** Leaves the terminal to another program while `during` runs. */
  suspend(during: () => Promise<void>): Promise<void>
  /**
   * Closes the screens without a question, and stops running work, unless another profile is opened next. Pending changes are kept
   * unless they are discarded.
   */
  quit(pending?: 'keep' | 'discard', next?: string): void
  /** Whether the question is on the terminal: a key that was typed before that does not answer it. */
  isDrawn(question: Confirmation): boolean
  /** Draws the whole screen, whatever the terminal shows. */
  redraw(): void
}

/** A user action. Keys, footer, help, palette and docs are derived from it. */
export interface Action {
  readonly id: string
  readonly title: string
  readonly screens?: readonly ScreenOrObjects[]
  /** Chords; two chords separated by a blank are pressed one after the other. */
  readonly keys: readonly string[]
  readonly footer?: string
  /** In the footer before the actions of a single screen. */
  readonly isAlwaysFirst?: true
  /** It acts on the marked rows, and asks first where some of them are not shown. */
  readonly isOfMarks?: true
  readonly refusal?: (state: State) => string | undefined
  readonly run: (ui: Ui) => void
}

type ActionParts = Omit<Action, 'id' | 'keys' | 'title'>

export function action(id: string, keys: string | readonly string[], title: string, parts: ActionParts): Action {
  return { id, title, keys: typeof keys === 'string' ? [keys] : keys, ...parts }
}

export function onScreens(screens: readonly ScreenOrObjects[], actions: readonly Action[]): readonly Action[] {
  return actions.map((each) => ({ ...each, screens }))
}

export interface Keymap {
  readonly actions: readonly Action[]
  keysOf(id: string): readonly string[]
  /** The action of the chords on a screen; `begins` for the beginning of a sequence. */
  lookUp(screen: ScreenName, chords: string): Action | 'begins' | undefined
}
