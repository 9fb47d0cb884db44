import type { Api } from '../api/api.ts'
import type { Env } from '../core/streams.ts'
import type { Background } from './background/background.ts'
import type { Boards } from './pipelines/board.ts'
import type { ScreenName } from './screens.ts'
import type { State } from './state.ts'
import type { Store } from './store.ts'

/** What the screens need of the world. */
export interface World {
  readonly openApi: () => Promise<Api>
  readonly env: Env
  readonly now: () => number
  /** Where events are forwarded to already; undefined where they are not. */
  readonly sendsTo: string | undefined
  readonly profileFlag: string | undefined
  /** Writes to the terminal past the screen: a sequence that draws nothing. */
  readonly writeRaw: (text: string) => void
  /** Stops the process until the shell continues it; undefined where there is no such thing. */
  readonly pauseProcess: (() => Promise<void>) | undefined
}

/** What a command acts on. */
export interface Ui {
  readonly store: Store<State>
  readonly world: World
  readonly background: Background
  readonly keymap: Keymap
  readonly boards: Boards
  /** Gives the terminal to what runs meanwhile, and takes it back. */
  suspend(during: () => Promise<void>): Promise<void>
  /** Closes the screens without a question, and stops running work. Pending changes are kept unless they are discarded. */
  quit(pending?: 'keep' | 'discard'): void
}

/** An action a person can take. Keys are only spellings of it: footer, help, palette, docs and bindings come from here. */
export interface Action {
  readonly id: string
  readonly title: string
  /** Undefined: on all. */
  readonly screens?: readonly ScreenName[]
  /** Chords; two with a blank between them are pressed one after the other. */
  readonly keys: readonly string[]
  /** What the footer calls it; undefined keeps it out of there. */
  readonly footer?: string
  /** Before what only this screen can do. */
  readonly isAlwaysFirst?: true
  /** Undefined when it can run; else why it cannot, in words for a person. */
  readonly refusal?: (state: State) => string | undefined
  readonly run: (ui: Ui) => void
}

export interface Keymap {
  readonly actions: readonly Action[]
  keysOf(id: string): readonly string[]
  /** What the chords mean on a screen: an action, the beginning of one, or nothing. */
  lookUp(screen: ScreenName, chords: string): Action | 'begins' | undefined
}
