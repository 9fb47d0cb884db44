import { expect, test } from 'vitest'
import { createBoards } from '../../src/ui/board.ts'
import { boardLines } from '../../src/ui/draw/board-lines.ts'
import { createTheme } from '../../src/ui/draw/theme.ts'
import { initialState, withList } from '../../src/ui/state.ts'
import { contact, listOf } from './rows.ts'

test('the board sums amounts to the cent, and shows them with all their digits', () => {
  const amounts = [52805342.48, 0.1, '0.005', -0.005]
  const list = listOf(amounts.map((amount, at) => contact(at, { stage: 'Won', amount })))
  const place = { text: '', isProtected: false }
  const state = withList(initialState('deals', place, { columns: 80, rows: 24 }), 'deals', () => list)
  const lines = boardLines(createBoards()(list, undefined), state, { width: 40, height: 14 }, createTheme('none'))
  expect(lines[1]).toMatch(/^ {2}4 · 52,805,342\.58 · 100 % +$/)
  expect(lines.join('\n')).toContain('52,805,342.48')
  expect(lines.join('\n')).toContain(' -0.005')
})
