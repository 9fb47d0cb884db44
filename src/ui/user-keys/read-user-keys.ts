import { checkShape } from '../../api/connectors/check-shape.ts'
import {
  isElements,
  type Located,
  memberAt,
  Problems,
  plain,
  readLocated,
  textIn,
} from '../../api/connectors/located.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { keyLabel } from '../actions/keymap.ts'
import type { ScreenName } from '../screens.ts'
import type { Action, Keymap } from '../ui.ts'
import { BROWSE_KEYS, KEYED_SCREENS, OUTPUTS, type UserKey } from './user-key.ts'

/** CrmError `invalid_input` with all mistakes, at most 20, each with line and column. `keymap` has the keys that crm uses. */
export function readUserKeys(text: string, path: string, keymap: Keymap): readonly UserKey[] {
  // A file whose keys are all commented out.
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return []
  const problems = new Problems()
  const root = readLocated('browse.yaml', text, problems, 'keys: []')
  if (root) checkShape(root, BROWSE_KEYS, problems)
  const listed = memberAt(root, 'keys')?.value
  const elements = isElements(listed) ? listed : []
  if (problems.texts.length === 0) for (const element of elements) refuseTaken(element, keymap, problems)
  if (problems.texts.length === 0) refuseTwice(elements, problems)
  if (problems.texts.length === 0) return elements.map(userKey)
  throw new CrmError('invalid_input', `no key of browse.yaml works: ${problems.texts.join('; ')}`, {
    lines: problems.texts,
    hint: `correct ${shellWord(path)} and start crm browse again`,
  })
}

function userKey(element: Located): UserKey {
  const screens = plain(memberAt(element, 'screens') ?? element)
  const output = textIn(memberAt(element, 'output'))
  return {
    chords: textIn(memberAt(element, 'key')) ?? '',
    screens: KEYED_SCREENS.filter((each) => Array.isArray(screens) && screens.includes(each)),
    description: textIn(memberAt(element, 'description')) ?? '',
    command: textIn(memberAt(element, 'command')) ?? '',
    isConfirmed: memberAt(element, 'confirm')?.value === true,
    isReloading: memberAt(element, 'reload')?.value === true,
    output: OUTPUTS.find((each) => each === output) ?? 'message',
  }
}

function refuseTaken(element: Located, keymap: Keymap, problems: Problems): void {
  const key = memberAt(element, 'key')
  const { chords, screens } = userKey(element)
  for (const screen of screens) {
    const taken = actionsOn(keymap, screen).find(({ id }) => keymap.keysOf(id).some((keys) => isSame(keys, chords)))
    if (!key || !taken) continue
    const free = freeKeys(keymap, screens)
    const what = `${taken.id}: ${taken.title}`
    problems.add(key.place, `${keyLabel(chords)} is a key of crm on ${screen} (${what}), expected another: ${free}`)
    return
  }
}

/** One of them would never be reached. */
function refuseTwice(elements: readonly Located[], problems: Problems): void {
  for (const [at, element] of elements.entries()) {
    const { chords, screens } = userKey(element)
    const other = elements
      .slice(0, at)
      .map(userKey)
      .find((each) => isSame(each.chords, chords) && each.screens.some((screen) => screens.includes(screen)))
    const place = memberAt(element, 'key')?.place
    if (other && place)
      problems.add(place, `${keyLabel(chords)} is the key of "${other.description}", expected another`)
  }
}

/** Whether one of them is the other, or its beginning. */
function isSame(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `)
}

function actionsOn({ actions }: Keymap, screen: ScreenName): readonly Action[] {
  return actions.filter(({ screens }) => screens?.includes(screen) ?? true)
}

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')

const MOST_FREE = 12

function freeKeys(keymap: Keymap, screens: readonly ScreenName[]): string {
  const isFree = (letter: string) => screens.every((screen) => keymap.lookUp(screen, letter) === undefined)
  return LETTERS.filter(isFree).slice(0, MOST_FREE).join(' ')
}
