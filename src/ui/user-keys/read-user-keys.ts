import type { z } from 'zod'
import { choice, FLAG, list, member, object, required, text } from '../../connector/format-parts.ts'
import { isElements, memberAt, type Place, Problems, readLocated } from '../../connector/located.ts'
import { readShape } from '../../connector/read-shape.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { keyLabel } from '../actions/keymap.ts'
import { isOnScreen, type ScreenName } from '../screens.ts'
import type { Keymap } from '../ui.ts'

const KEYED_SCREENS = ['contacts', 'deals', 'pipelines', 'events', 'jobs', 'webhooks'] as const

/** `message`: the last line of the output; `pane`: all of it; `terminal`: the command has the terminal. */
export const OUTPUTS = ['message', 'pane', 'terminal'] as const

/** A key of `browse.yaml`: a shell command that gets the marked records, or the one under the cursor, on its stdin. */
export interface UserKey {
  readonly chords: string
  readonly screens: readonly ScreenName[]
  readonly description: string
  readonly command: string
  readonly isConfirmed: boolean
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

/** CrmError `invalid_input` with all mistakes, at most 20, each with line and column. `keymap` has the keys that crm uses. */
export function readUserKeys(text: string, path: string, keymap: Keymap): readonly UserKey[] {
  // A file whose keys are all commented out.
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return []
  const problems = new Problems()
  const root = readLocated('browse.yaml', text, problems, 'keys: []')
  const written = root && readShape(root, BROWSE_KEYS, problems)
  const listed = memberAt(root, 'keys')?.value
  const keys = (written?.keys ?? []).map(userKey)
  for (const refuse of [refuseTaken, refuseTwice]) {
    if (problems.texts.length > 0) break
    for (const [at, key] of keys.entries()) {
      const place = isElements(listed) ? memberAt(listed[at], 'key')?.place : undefined
      if (place) refuse(key, { place, problems, keymap, before: keys.slice(0, at) })
    }
  }
  if (problems.texts.length === 0) return keys
  throw new CrmError('invalid_input', `no key of browse.yaml works: ${problems.texts.join('; ')}`, {
    lines: problems.texts,
    hint: `correct ${shellWord(path)} and start crm browse again`,
  })
}

function userKey({ key, screens, description, command, confirm, reload, output }: WrittenKey): UserKey {
  return {
    chords: key,
    screens: KEYED_SCREENS.filter((each) => screens.includes(each)),
    description,
    command,
    isConfirmed: confirm === true,
    isReloading: reload === true,
    output: output ?? 'message',
  }
}

interface Refusing {
  readonly place: Place
  readonly problems: Problems
  readonly keymap: Keymap
  readonly before: readonly UserKey[]
}

function refuseTaken({ chords, screens }: UserKey, { place, keymap, problems }: Refusing): void {
  for (const screen of screens) {
    const taken = keymap.actions.find(
      (each) => isOnScreen(each.screens, screen) && keymap.keysOf(each.id).some((keys) => isSame(keys, chords)),
    )
    if (!taken) continue
    const free = freeKeys(keymap, screens)
    const what = `${taken.id}: ${taken.title}`
    problems.add(place, `${keyLabel(chords)} is a key of crm on ${screen} (${what}), expected another: ${free}`)
    return
  }
}

/** One of them would never be reached. */
function refuseTwice({ chords, screens }: UserKey, { place, problems, before }: Refusing): void {
  const other = before.find((each) => isSame(each.chords, chords) && each.screens.some((one) => screens.includes(one)))
  if (other) problems.add(place, `${keyLabel(chords)} is the key of "${other.description}", expected another`)
}

/** Whether one of them is the other, or its beginning. */
function isSame(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `)
}

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
const MOST_FREE = 12

function freeKeys(keymap: Keymap, screens: readonly ScreenName[]): string {
  const isFree = (letter: string) => screens.every((screen) => keymap.lookUp(screen, letter) === undefined)
  return LETTERS.filter(isFree).slice(0, MOST_FREE).join(' ')
}
