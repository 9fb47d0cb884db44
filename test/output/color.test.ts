import { expect, test } from 'vitest'
import { createStyles, shouldColor } from '../../src/output/color.ts'

test.each([
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '', FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: '', TERM: 'dumb' }, true, false],
  ['auto', { FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
  ['auto', {}, true, true],
  ['auto', {}, false, false],
] as const)('--color %s with %j on a terminal: %s, is %s', (flag, env, isTTY, color) => {
  expect(shouldColor({ flag, env, isTTY })).toBe(color)
})

test('styles add nothing without color, and nothing to an empty text', () => {
  expect(createStyles(false).bold('a')).toBe('a')
  expect(createStyles(true).red('a')).toBe('\x1b[31ma\x1b[39m')
  expect(createStyles(true).dim('')).toBe('')
})
