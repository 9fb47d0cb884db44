import { expect, test } from 'vitest'
import { failureText } from '../../src/service/log.ts'

test('the log of a failure has its stack, and what caused it', () => {
  const cause = new Error('cannot connect', { cause: new Error('ECONNREFUSED') })
  const error = new Error('not ready', { cause })
  expect(failureText(error)).toBe(`${error.stack}\nCaused by: cannot connect: ECONNREFUSED`)
  expect(failureText('text')).toBe('text')
})
