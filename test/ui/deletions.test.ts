import { afterEach, expect, test, vi } from 'vitest'
import { GRACE_MS } from '../../src/ui/background/deletions.ts'
import { contact } from './rows.ts'
import { uiOf } from './ui-of.ts'

afterEach(() => void vi.useRealTimers())

test('a cancelled deletion is not sent after the grace period, and any other is', async () => {
  const asked: string[] = []
  const openApi = () => {
    asked.push('asked')
    return new Promise<never>(() => {})
  }
  const { background } = await uiOf('contacts', { openApi })
  vi.useFakeTimers()
  background.deletions.add('contacts', [contact(1)])
  expect(background.deletions.takeBack()).toBe(true)
  vi.advanceTimersByTime(2 * GRACE_MS)
  expect(asked).toEqual([])
  background.deletions.add('contacts', [contact(2)])
  vi.advanceTimersByTime(GRACE_MS - 1)
  expect(asked).toEqual([])
  vi.advanceTimersByTime(1)
  expect(asked).toEqual(['asked'])
})

test('the grace period of a deletion is paused during a question, and then starts again', async () => {
  const asked: string[] = []
  const openApi = () => {
    asked.push('asked')
    return new Promise<never>(() => {})
  }
  const ui = await uiOf('contacts', { openApi })
  vi.useFakeTimers()
  ui.background.deletions.add('contacts', [contact(1)])
  ui.press('q')
  vi.advanceTimersByTime(2 * GRACE_MS)
  expect(asked).toEqual([])
  ui.press('esc')
  vi.advanceTimersByTime(GRACE_MS)
  expect(asked).toEqual(['asked'])
})
