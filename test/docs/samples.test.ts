import { expect, test } from 'vitest'
import { untrueLines } from './samples.ts'

test('a sample may differ from the output only in ids, times and addresses', () => {
  const printed = 'con_1  2026-01-02T03:04:05Z  http://127.0.0.1:41234\nrows  3\n'
  expect(untrueLines(['con_0abc 2025-12-31T00:00:00.123Z http://127.0.0.1:4243', '', 'rows  3'], printed)).toEqual([])
  expect(untrueLines(['rows  4', 'con_1 …'], printed)).toEqual(['rows  4'])
  expect(untrueLines(['rows  3', 'rows  3'], printed)).toEqual(['rows  3'])
})
