import type { Api } from '../api/api.ts'
import type { Env } from '../core/streams.ts'
import type { Keymap } from './actions/keymap.ts'
import type { Background } from './background/background.ts'
import type { Boards } from './pipelines/board.ts'
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
