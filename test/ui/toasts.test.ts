import { afterEach, expect, test, vi } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { drawFrame } from './draw-frame.tsx'
import { type TestUi, uiOf } from './ui-of.ts'

afterEach(() => void vi.useRealTimers())

function linesOf({ store, keymap, boards }: TestUi): readonly string[] {
  const state = { ...store.get(), columns: 60, rows: 20 }
  return drawFrame(state, { theme: createTheme('none'), keymap, boards }).lines
}

test('an error takes up to three lines, and its remedy is never the part that is cut', async () => {
  const ui = await uiOf('contacts')
  const hint = 'crm jobs resume job_psve goes on where it stopped'
  ui.background.notices.problem(new CrmError('server_error', `the server failed ${'again '.repeat(60)}`, { hint }), '')
  const lines = linesOf(ui)
  expect(lines).toHaveLength(20)
  expect(lines.slice(-4, -1).join('').replaceAll(/\s+/g, ' ')).toContain(hint)
  expect(lines.at(-4)).toMatch(/^ ! the server failed/)
  expect(lines.slice(-4, -1).join('')).toContain('…')
})

test('a message counts down the seconds that it stays, and takes no time when it is gone', async () => {
  vi.useFakeTimers()
  const ui = await uiOf('contacts')
  ui.background.notices.done('Saved')
  expect(linesOf(ui).at(-2)).toMatch(/^ ✓ Saved +8 s$/)
  vi.advanceTimersByTime(3_000)
  expect(linesOf(ui).at(-2)).toMatch(/^ ✓ Saved +5 s$/)
  vi.advanceTimersByTime(5_000)
  expect(linesOf(ui).at(-2)?.trim()).toBe('')
  ui.background.events.close()
  expect(vi.getTimerCount()).toBe(0)
})
