import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { takePage } from '../../src/ui/list/list-state.ts'
import { askBackground, createTheme } from '../../src/ui/look/theme.ts'
import { createMouse, type MouseReport, watchMouse } from '../../src/ui/mouse.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import type { ScreenName } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { drawFrame } from './draw-frame.tsx'
import { contacts } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

interface MouseUi extends TestUi {
  click(x: number, y: number, button?: MouseReport['button']): void
  lines(): readonly string[]
}

async function withMouse(screen: ScreenName, count: number): Promise<MouseUi> {
  const ui = await uiOf(screen)
  const list = screen === 'pipelines' ? 'deals' : 'contacts'
  const items = contacts(count).map((row, at) => ({ ...row, stage: at % 3 === 0 ? 'Won' : 'Lead' }))
  const page = { items, nextCursor: undefined, searched: searchedIn(list) }
  ui.store.update((state) => ({ ...withList(state, list, (each) => takePage(each, page)), isMouseOn: true }))
  const onReport = createMouse(ui)
  return Object.assign(ui, {
    click: (x: number, y: number, button: MouseReport['button'] = 'left') => onReport({ button, x, y, isPress: true }),
    lines: () =>
      drawFrame(ui.store.get(), { theme: createTheme('none'), keymap: ui.keymap, boards: ui.boards }).lines.map(
        stripVTControlCharacters,
      ),
  })
}

/** Where a text is drawn. */
function placeOf({ lines }: MouseUi, text: string): readonly [x: number, y: number] {
  const y = lines().findIndex((line) => `${line} `.includes(text))
  expect(y, text).toBeGreaterThanOrEqual(0)
  return [`${lines()[y]} `.indexOf(text), y]
}

test('a click selects the row that is drawn there, and a double click opens it', async () => {
  const ui = await withMouse('contacts', 100)
  ui.click(...placeOf(ui, 'Name 7 '))
  expect(ui.store.get().lists.contacts).toMatchObject({ cursor: 7, isDetailOpen: false })
  const [x, y] = placeOf(ui, 'Name 9 ')
  ui.click(x, y)
  ui.click(x, y)
  expect(ui.store.get().lists.contacts).toMatchObject({ cursor: 9, isDetailOpen: true })
})

test('a click below the last row selects nothing', async () => {
  const ui = await withMouse('contacts', 3)
  ui.click(4, 20)
  expect(ui.store.get().lists.contacts.cursor).toBe(0)
})

test('the wheel moves three rows, and over the pane it scrolls the pane', async () => {
  const ui = await withMouse('contacts', 100)
  ui.click(5, 10, 'wheel-down')
  ui.click(5, 10, 'wheel-down')
  ui.click(5, 10, 'wheel-up')
  expect(ui.store.get().lists.contacts.cursor).toBe(3)
  ui.press('enter')
  ui.click(115, 10, 'wheel-down')
  expect(ui.store.get()).toMatchObject({ lists: { contacts: { cursor: 3 } }, pane: { top: 4 } })
})

test('a click on the name of a screen opens it', async () => {
  const ui = await withMouse('contacts', 3)
  ui.click(...placeOf(ui, '4 Events'))
  expect(ui.store.get().screen).toBe('events')
})

test('on the board a click selects the deal that is drawn there', async () => {
  const ui = await withMouse('pipelines', 60)
  for (const name of ['Name 12 ', 'Name 10 ', 'Name 33 ']) {
    ui.click(...placeOf(ui, name))
    const { column, card } = ui.store.get().board
    const { deals } = ui.boards(ui.store.get().lists.deals, ui.store.get().board.stages)[column] ?? { deals: [] }
    expect(deals[card]?.name).toBe(name.trim())
  }
})

test('no click confirms a deletion or types its count; in a choice it selects', async () => {
  const ui = await withMouse('contacts', 3)
  ui.press('d')
  for (let y = 0; y < 40; y++) for (const x of [2, 10, 15]) ui.click(x, y)
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm', isOnCancel: true })
  expect(ui.store.get().underWay).toEqual([])
  ui.press('esc')
  ui.store.update((state) => ({ ...state, look: { ...state.look, colors: '256' } }))
  ui.press('ctrl-t')
  ui.click(...placeOf(ui, 'High contrast'))
  expect(ui.store.get().overlay).toMatchObject({ type: 'choice', index: 3 })
})

test('M turns the mouse on and off, and reports that are still under way are ignored', async () => {
  const ui = await withMouse('contacts', 30)
  ui.press('M')
  expect(ui.store.get().isMouseOn).toBe(false)
  ui.click(5, 10)
  expect(ui.store.get().lists.contacts.cursor).toBe(0)
})

test('reports are taken out of the input wherever it is cut, and keys around them stay', () => {
  const text = 'j\x1b[<0;5;10M\x1b[<0;5;10mk\x1b[<65;300;12Ml\x1b[A'
  for (let cut = 1; cut < text.length; cut++) {
    // An ESC at the end of a read is the key.
    if (text[cut - 1] === '\x1b') continue
    const stdin = new PassThrough({ encoding: 'utf8' })
    const seen: MouseReport[] = []
    watchMouse(stdin as unknown as NodeJS.ReadStream, (report) => seen.push(report))
    let keys = ''
    for (const part of [text.slice(0, cut), text.slice(cut)]) {
      stdin.write(part)
      keys += stdin.read() ?? ''
    }
    expect(keys).toBe('jkl\x1b[A')
    expect(seen.map(({ button, x, y, isPress }) => [button, x, y, isPress])).toEqual([
      ['left', 4, 9, true],
      ['left', 4, 9, false],
      ['wheel-down', 299, 11, true],
    ])
  }
})

test('keys after a report, or after the answer about the background, are still read when those came alone', async () => {
  for (const alone of ['\x1b[<0;5;10M', '\x1b]11;rgb:0000/0000/0000\x07', '\x1b[<0;5', '\x1b]11;rgb']) {
    // A socket reads on by itself, as a terminal does.
    const { near, far } = await socketPair()
    near.setEncoding('utf8')
    const stdin = near as unknown as NodeJS.ReadStream
    watchMouse(stdin, () => {})
    const stdout = { write: () => true } as unknown as NodeJS.WriteStream
    const stop = askBackground({ stdin, stdout, onAnswer: () => {} })
    let keys = ''
    // As Ink reads.
    near.on('readable', () => {
      for (let chunk = near.read(); chunk !== null; chunk = near.read()) keys += chunk
    })
    far.write(alone)
    await delay(20)
    const rest =
      alone.endsWith('M') || alone.endsWith('\x07') ? '' : alone.includes('[') ? ';10M' : ':0000/0000/0000\x07'
    far.write(`${rest}j`)
    await expect.poll(() => keys, { timeout: 500, message: JSON.stringify(alone) }).toBe('j')
    stop()
    far.destroy()
    near.destroy()
  }
})

async function socketPair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer()
  const accepted = once(server, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [near] = (await accepted) as [Socket]
  server.close()
  return { near, far }
}
