import type { z } from 'zod'
import { choice, FLAG, list, member, object, required, text } from '../../connector/format-parts.ts'
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

// Without digits, which open screens, and control characters that terminals send for other keys, or that stop a program.
const CHORDS = text({
  pattern: '^(?:ctrl-[abd-gklnop-y]|[!-/:-~])(?: (?:ctrl-[abd-gklnop-y]|[!-/:-~]))?$',
  expected: 'a key such as P or ctrl-o, or two with a blank between them, such as g o; no digit, and not ctrl-c',
})

const WORDS = text({ pattern: '\\S', expected: 'a text that is not blank' })

/** Everything that is read from `browse.yaml` is named here; what is not named here is a mistake. */
export const BROWSE_KEYS = object('browse_keys', {
  keys: required(
    'the keys that are added to the screens',
    list(
      object('user_key', {
        key: required(
          'a key such as P or ctrl-o, or two with a blank between them, that crm does not use on these screens',
          CHORDS,
        ),
        screens: required('where it applies', list(choice(KEYED_SCREENS), { least: 1, most: KEYED_SCREENS.length })),
        description: required('for the help, the palette and messages', WORDS),
        command: required(
          'run with sh -c; its stdin is a JSON line for each marked record, or for the one under the cursor',
          WORDS,
        ),
        confirm: member('true: asked about first', FLAG),
        reload: member('true: the list is loaded again after the command', FLAG),
        output: member(
          'message (default): the last line; pane: all lines; terminal: the command has the terminal until it ends',
          choice(OUTPUTS),
        ),
      }),
    ),
  ),
})

export type WrittenKey = z.infer<typeof BROWSE_KEYS>['keys'][number]
