import type { ScreenName } from '../screens.ts'
import type { State } from '../state.ts'
import type { Ui } from '../ui.ts'

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
