import { expect, test } from 'vitest'
import { ACTIONS } from '../../src/ui/actions/all-actions.ts'
import { strokesOf } from '../../src/ui/keys.ts'
import { press } from '../../src/ui/press.ts'
import { editText, inputText, insertText, textInput } from '../../src/ui/text/text-input.ts'
import { contacts, listOf } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

async function withRows(): Promise<TestUi> {
  const ui = await uiOf('contacts')
  ui.store.update((state) => ({ ...state, lists: { ...state.lists, contacts: listOf(contacts(3)) } }))
  return ui
}

const lastMessage = ({ store }: TestUi) => store.get().toasts.at(-1)

/** What keys do on several screens under other ids: what moves, by its direction, and what each key does to what is there. */
const MEANINGS: Readonly<Record<string, RegExp>> = {
  move: /(?:^|-)(?:down|up|left|right|first|last|top|end)$/,
  load: /load-all$/,
  reload: /reload$/,
  create: /^(?:webhook-)?create$/,
  delete: /(?:^|-)delete$/,
  'correct or change': /^(?:edit|job-correct)$/,
  'send again': /^(?:event-replay|job-retry|webhook-resend)$/,
  'send a test event': /^(?:event-trigger|webhook-test)$/,
  copy: /^copy-/,
  'write to a file': /^(?:export|write-script)$/,
}

test('a key means one thing on all screens', () => {
  const meaningOf = (id: string) => Object.entries(MEANINGS).find(([, pattern]) => pattern.test(id))?.[0] ?? id
  const keys = new Set(ACTIONS.flatMap((action) => action.keys))
  const several = [...keys].flatMap((key) => {
    const meanings = new Set(ACTIONS.filter((action) => action.keys.includes(key)).map(({ id }) => meaningOf(id)))
    return meanings.size > 1 ? [`${key}: ${[...meanings].join(', ')}`] : []
  })
  expect(several).toEqual([])
})

test('a digit opens its screen at once, also after Esc in one input', async () => {
  const ui = await withRows()
  ui.press('2')
  expect(ui.store.get().screen).toBe('deals')
  ui.press('alt-1', '?')
  expect(ui.store.get()).toMatchObject({ screen: 'contacts', overlay: { type: 'help' } })
  ui.press('alt-5')
  expect(ui.store.get()).toMatchObject({ screen: 'jobs', overlay: undefined })
})

test(': runs what is named by what was typed, never what only mentions it', async () => {
  const ui = await withRows()
  ui.press(':', ...'job', 'enter')
  expect(ui.store.get()).toMatchObject({ screen: 'jobs', overlay: undefined })
  ui.press('1', ':', ...'deal', 'enter')
  expect(ui.store.get()).toMatchObject({ screen: 'deals', overlay: undefined })
  ui.press('1', ':', ...'del', 'enter')
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm' })
  ui.press('esc', ':', ...'stays', 'enter')
  expect(ui.store.get().overlay).toMatchObject({
    type: 'palette',
    problem: 'no command is named "stays"; ↓ chooses one that mentions it',
  })
  ui.press('esc', ':', ...'whole', 'enter')
  expect(ui.store.get().times.isWhole).toBe(true)
})

test('Delete takes the character after the cursor, Alt-B and Alt-F move by words, Alt-D takes one', () => {
  const [deleted] = strokesOf('', { delete: true } as never)
  expect(deleted).toEqual({ chord: 'delete', text: undefined })
  expect(strokesOf('b', { meta: true } as never)).toEqual([{ chord: 'alt-b', text: undefined }])
  const typed = (...chords: readonly string[]) =>
    chords.reduce((input, chord) => editText(input, chord) ?? insertText(input, chord), textInput('one two three'))
  expect(inputText(typed('home', 'delete'))).toBe('ne two three')
  expect(inputText(typed('alt-b', 'alt-b', '_'))).toBe('one _two three')
  expect(inputText(typed('home', 'alt-f', '_', 'alt-d'))).toBe('one_ three')
})

test('Alt and a letter is Esc and the letter where no text is typed, and moves in a text', async () => {
  const ui = await withRows()
  ui.press('/', ...'ada love', 'alt-b', 'X')
  expect(ui.store.get().overlay).toMatchObject({ type: 'prompt' })
  expect(ui.store.get().lists.contacts.filter).toBe('ada Xlove')
  ui.press('esc', '?')
  press(ui, { chord: 'alt-j', text: undefined })
  expect(ui.store.get().overlay).toBeUndefined()
  expect(ui.store.get().lists.contacts.cursor).toBe(1)
})

test('outside tmux a copy is sent as OSC 52, in both forms where a tmux may be on the way, and called no success', async () => {
  const written: string[] = []
  const given = await withRows()
  const env = { ...given.world.env, TERM: 'tmux-256color' }
  const ui = { ...given, world: { ...given.world, env, writeRaw: (text: string) => void written.push(text) } }
  press(ui, { chord: 'y', text: 'y' })
  await expect.poll(() => lastMessage(given)?.text).toContain('terminals do not say whether they did')
  expect(lastMessage(given)?.type).toBe('wait')
  const sequence = `\x1b]52;c;${Buffer.from('con_0').toString('base64')}\x07`
  expect(written).toEqual([sequence, `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`])
})

test('in a choice G and g go to its ends, and in the help too', async () => {
  const ui = await withRows()
  ui.store.update((state) => ({ ...state, look: { ...state.look, colors: '256' } }))
  ui.press('ctrl-t', 'G')
  expect(ui.store.get().overlay).toMatchObject({ type: 'choice', index: 5 })
  ui.press('g')
  expect(ui.store.get().overlay).toMatchObject({ index: 0 })
  ui.press('esc', '?', 'G')
  expect((ui.store.get().overlay as { top: number }).top).toBeGreaterThan(0)
  ui.press('home')
  expect(ui.store.get().overlay).toMatchObject({ type: 'help', top: 0 })
})
