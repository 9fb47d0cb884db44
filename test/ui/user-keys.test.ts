import { stripVTControlCharacters } from 'node:util'
import type { Key } from 'ink'
import { expect, test } from 'vitest'
import type { CrmError } from '../../src/core/errors.ts'
import { ACTIONS } from '../../src/ui/actions/all-actions.ts'
import { clashes, createKeymap, keyLabel } from '../../src/ui/actions/keymap.ts'
import { strokesOf } from '../../src/ui/keys.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { allScreens } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { readUserKeys, type UserKey } from '../../src/ui/user-keys/read-user-keys.ts'
import { drawFrame } from './draw-frame.tsx'
import { contacts } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const KEYMAP = createKeymap(ACTIONS, {})

const read = (text: string) => readUserKeys(text, '/home/ada/.config/crm/browse.yaml', KEYMAP)

function mistakesOf(text: string): readonly string[] {
  try {
    read(text)
  } catch (error) {
    return (error as CrmError).details.lines ?? []
  }
  return []
}

function keyOf(part: Partial<UserKey>): UserKey {
  const rest = { isConfirmed: false, isReloading: false, output: 'message' } as const
  return { chords: 'P', screens: ['contacts'], description: 'Count', command: 'wc -l', ...rest, ...part }
}

async function withKey(part: Partial<UserKey>, env = {}): Promise<TestUi> {
  const ui = await uiOf('contacts', { env: { PATH: process.env.PATH, ...env } }, [keyOf(part)])
  const page = { items: contacts(30), nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) => withList(state, 'contacts', (list) => takePage(list, page)))
  return ui
}

const lastMessage = ({ store }: TestUi) => store.get().toasts.at(-1)?.text

const linesOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines.map(stripVTControlCharacters)

test('a key has its screens, command and description, and is not asked about unless the file says so', () => {
  const text =
    'keys:\n  - key: ctrl-o\n    screens: [deals]\n    description: Open it\n    command: cat\n    output: pane\n'
  expect(read(text)).toEqual([
    keyOf({ chords: 'ctrl-o', screens: ['deals'], description: 'Open it', command: 'cat', output: 'pane' }),
  ])
  expect(read('# keys:\n#   - key: P\n\n')).toEqual([])
})

test('each mistake is named with its line and column, and what was expected', () => {
  const text = `keys:
  - key: f5
    screens: [contact]
    description: ' '
    comand: cat
`
  expect(mistakesOf(text)).toEqual([
    'browse.yaml:2:5: command is missing, expected a text that is not blank',
    expect.stringMatching(/^browse.yaml:2:10: "f5", expected a key such as P or ctrl-o/),
    expect.stringMatching(/^browse.yaml:3:15: "contact", expected one of contacts, .*did you mean contacts\?$/),
    expect.stringMatching(/^browse.yaml:4:19: " ", expected a text that is not blank/),
    expect.stringMatching(/^browse.yaml:5:5: "comand" is not a member of "user key".*did you mean command\?$/),
  ])
})

const two = (one: string, other: string) =>
  [one, other].map((key) => `  - {key: ${key}, screens: [contacts], description: Of ${key}, command: cat}`).join('\n')

test('a key that crm uses on that screen is refused with what it does and the free keys, one of its own with its description', () => {
  expect(mistakesOf(`keys:\n${two('P', 'd')}`)).toEqual([
    expect.stringMatching(
      /^browse.yaml:3:11: d is a key of crm on contacts \(delete: Delete.*\), expected another: [a-zA-Z](?: [a-zA-Z])+$/,
    ),
  ])
  expect(mistakesOf(`keys:\n${two('P', 'g')}`)).toEqual([expect.stringMatching(/g is a key of crm/)])
  expect(mistakesOf(`keys:\n${two('P', 'P')}`)).toEqual(['browse.yaml:3:11: P is the key of "Of P", expected another'])
  expect(mistakesOf(`keys:\n${two('P', 'g o')}`)).toEqual([])
})

test('the marked records are on its stdin, a JSON line each, else the one under the cursor', async () => {
  const ui = await withKey({ command: 'tr -d "\\n" | cut -c1-80' })
  ui.press('P')
  await expect.poll(() => lastMessage(ui)).toMatch(/^Count: \{"id":"con_0",[^\n]*$/)
  const counting = await withKey({})
  counting.press(...'     ', 'P')
  await expect.poll(() => lastMessage(counting)).toBe('Count: 5')
})

test('it gets no key, no password of a database, and the profile of the screens', async () => {
  const secrets = { CRM_API_KEY: 'crm_key_secret', CRM_DATABASE_URL: 'postgres://crm:secret@db/crm' }
  const ui = await withKey({ command: 'env | grep ^CRM_ | sort | tr "\\n" " "' }, { ...secrets, CRM_PROFILE: 'other' })
  ui.store.update((state) => ({ ...state, place: { ...state.place, profile: 'staging' } }))
  ui.press('P')
  await expect.poll(() => lastMessage(ui)).toBe('Count: CRM_PROFILE=staging')
})

test('Ctrl-C ends the running command, and not the screens; a second command has to wait', async () => {
  const ui = await withKey({ command: 'sleep 30' })
  ui.press('P', 'P')
  expect(lastMessage(ui)).toBe('Count (browse.yaml): Count is running; Ctrl-C ends it')
  expect(linesOf(ui).join('\n')).toContain('Count is running; Ctrl-C ends it')
  ui.press('ctrl-c')
  await expect.poll(() => lastMessage(ui)).toBe('Count: SIGTERM')
  expect(ui.store.get().shellTitle).toBeUndefined()
  expect(ui.quits).toEqual([])
})

test('its output cannot control the terminal, and a failure shows all of it', async () => {
  const ui = await withKey({ command: 'printf "one\\033[2Jtwo\\033]0;title\\007\\nbad\\bline\\n" >&2; exit 3' })
  ui.press('P')
  await expect.poll(() => lastMessage(ui)).toBe('Count: exit 3: bad\\x08line')
  expect(ui.store.get().overlay).toMatchObject({
    type: 'text',
    title: 'Count (exit 3)',
    lines: ['onetwo', 'bad\\x08line'],
  })
})

test('output for the pane is scrolled, and closes with Esc', async () => {
  const ui = await withKey({ command: 'seq 100', output: 'pane' })
  ui.press('P')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('text')
  expect(linesOf(ui).join('\n')).toMatch(/Count \(exit 0\): 1-35 of 100 lines/)
  ui.press('G')
  expect(linesOf(ui).at(-2)).toMatch(/^│ 100 +│$/)
  ui.press('esc')
  expect(ui.store.get().overlay).toBeUndefined()
})

test('a command to be confirmed asks with Cancel preselected; for more than 20 records the count is typed', async () => {
  const ui = await withKey({ isConfirmed: true })
  ui.press('P')
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm', isOnCancel: true, expected: undefined })
  ui.press('enter')
  expect(lastMessage(ui)).toBeUndefined()
  ui.press('A', 'P')
  expect(ui.store.get().overlay).toMatchObject({ expected: '30' })
  ui.press('3', '0', 'enter')
  await expect.poll(() => lastMessage(ui)).toBe('Count: 30')
})

test('the help of its screens shows the key, and no other', async () => {
  const ui = await withKey({})
  ui.press('?', 'G')
  expect(linesOf(ui).join('\n')).toMatch(/P {17}Count \(browse.yaml\)/)
  expect(ui.keymap.lookUp('deals', 'P')).toBeUndefined()
})

test('what it ran is a comment among the commands of the session', async () => {
  const ui = await withKey({})
  ui.press('P')
  await expect.poll(() => lastMessage(ui)).toBe('Count: 1')
  expect(ui.store.get().lists.commands.rows.map(({ command }) => command)).toEqual(['# P of browse.yaml ran: Count'])
})

const PLAIN = { ctrl: false, meta: false, shift: false } as Key

test('no keys have two actions on one screen, and no action occurs twice', () => {
  expect(clashes(createKeymap(ACTIONS, {}), allScreens())).toEqual([])
  expect(new Set(ACTIONS.map(({ id }) => id)).size).toBe(ACTIONS.length)
})

test('conflicting keys of a user are named with both actions', () => {
  const [clash] = clashes(createKeymap(ACTIONS, { delete: ['j'] }), ['contacts'])
  expect(clash).toMatch(/j on contacts: delete and down/)
})

test('every action can be reached with keys that a terminal over ssh sends: no function keys', () => {
  for (const { keys } of ACTIONS) for (const key of keys) expect(key).toMatch(/^[\x20-\x7e]+$/)
  expect(ACTIONS.flatMap(({ keys }) => keys).filter((key) => /^f\d/.test(key))).toEqual([])
})

test('a user’s keys replace the ones of the action', () => {
  const keymap = createKeymap(ACTIONS, { delete: ['X'] })
  expect(keymap.lookUp('contacts', 'd')).toBeUndefined()
  expect(keymap.lookUp('contacts', 'X')).toMatchObject({ id: 'delete' })
})

test('the first key of a sequence begins it', () => {
  const keymap = createKeymap(ACTIONS, {})
  expect(keymap.lookUp('contacts', 'g')).toBe('begins')
  expect(keymap.lookUp('contacts', 'g g')).toMatchObject({ id: 'first' })
})

test('jjj in one chunk is three keys, and ab followed by Enter ends with Enter', () => {
  expect(strokesOf('jjj', PLAIN).map(({ chord }) => chord)).toEqual(['j', 'j', 'j'])
  expect(strokesOf('ab\r', PLAIN).map(({ chord }) => chord)).toEqual(['a', 'b', 'enter'])
})

test('keys are shown by their usual names', () => {
  expect(['ctrl-d', 'g g', 'space'].map(keyLabel)).toEqual(['Ctrl-D', 'gg', 'Space'])
})
