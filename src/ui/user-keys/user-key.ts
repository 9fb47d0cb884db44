import { choice, FLAG, list, type ObjectShape, object, type TextRule, text } from '../../api/connectors/shapes.ts'
import type { ScreenName } from '../screens.ts'

/** The screens with rows that a command can be given. */
export const KEYED_SCREENS = [
  'contacts',
  'deals',
  'pipelines',
  'events',
  'jobs',
  'webhooks',
] as const satisfies readonly ScreenName[]

/** `message`: the last line of the output; `pane`: all of it; `terminal`: the command has the terminal. */
export const OUTPUTS = ['message', 'pane', 'terminal'] as const

/** A key of `browse.yaml`: a shell command that gets the marked records, or the one under the cursor, on its stdin. */
export interface UserKey {
  readonly chords: string
  readonly screens: readonly ScreenName[]
  readonly description: string
  /** For `sh -c`. */
  readonly command: string
  readonly isConfirmed: boolean
  /** The list is loaded again after the command. */
  readonly isReloading: boolean
  readonly output: (typeof OUTPUTS)[number]
}

// Without digits, which begin counts, and control characters that terminals send for other keys, or that stop a program.
const CHORDS: TextRule = {
  pattern: '^(?:ctrl-[abd-gklnop-y]|[!-/:-~])(?: (?:ctrl-[abd-gklnop-y]|[!-/:-~]))?$',
  expected: 'a key such as P or ctrl-o, or two with a blank between them, such as g o; no digit, and not ctrl-c',
}

const WORDS: TextRule = { pattern: '\\S', expected: 'a text that is not blank' }

/** Everything that is read from `browse.yaml` is named here; what is not named here is a mistake. */
export const BROWSE_KEYS: ObjectShape = object(
  'browse_keys',
  {
    keys: list(
      object(
        'user_key',
        {
          key: text(CHORDS),
          screens: list(choice(KEYED_SCREENS), { least: 1, most: KEYED_SCREENS.length }),
          description: text(WORDS),
          command: text(WORDS),
          confirm: FLAG,
          reload: FLAG,
          output: choice(OUTPUTS),
        },
        { required: ['key', 'screens', 'description', 'command'] },
      ),
    ),
  },
  { required: ['keys'] },
)
