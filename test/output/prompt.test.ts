import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { InputStream } from '../../src/core/streams.ts'
import { askHidden, askTyped, askYesNo } from '../../src/output/prompt.ts'
import { fakeIo } from './fake-io.ts'

const never = new AbortController().signal

async function* typing(...chunks: readonly string[]): AsyncIterable<string> {
  yield* chunks
}

test.each([
  ['y\n', true],
  ['YES\r\n', true],
  [' y \n', true],
  ['\n', false],
  ['n\n', false],
  ['yep\n', false],
])('%j answers yes: %s', async (text, isYes) => {
  const io = fakeIo({ stdin: typing(text) })
  expect(await askYesNo(io, 'Delete? [y/N] ', never)).toBe(isYes)
  expect(io.err()).toBe('Delete? [y/N] ')
  expect(io.out()).toBe('')
})

test('a line received in pieces, split inside a character, is read whole', async () => {
  const bytes = new TextEncoder().encode('größe 日\n')
  const stdin = (async function* () {
    for (const byte of bytes) yield Uint8Array.of(byte)
  })()
  expect(await askTyped(fakeIo({ stdin }), 'Type: ', never)).toBe('größe 日')
})

test('a name in the question cannot move the cursor', async () => {
  const io = fakeIo({ stdin: typing('a\n') })
  await askTyped(io, 'Delete \x1b[2Jx? ', never)
  expect(io.err()).toBe('Delete \\x1b[2Jx? ')
})

test('the end of input before an answer is an error', async () => {
  for (const ask of [askYesNo, askTyped, askHidden]) {
    await expect(ask(fakeIo({ stdin: typing('y') }), '? ', never)).rejects.toMatchObject({ code: 'unconfirmed' })
    await expect(ask(fakeIo(), '? ', never)).rejects.toMatchObject({ code: 'unconfirmed' })
  }
})

test('an abort ends the question, before and during the wait', async () => {
  const waiting: InputStream = new PassThrough()
  for (const ask of [askYesNo, askTyped, askHidden]) {
    const controller = new AbortController()
    const asked = ask(fakeIo({ stdin: waiting }), '? ', controller.signal)
    controller.abort()
    await expect(asked).rejects.toMatchObject({ code: 'interrupted' })
    await expect(ask(fakeIo({ stdin: waiting }), '? ', controller.signal)).rejects.toMatchObject({
      code: 'interrupted',
    })
  }
})

test('lines pasted at once answer one question each', async () => {
  const stdin = new PassThrough()
  stdin.write('first\nsec')
  stdin.write('ond\ny\n')
  const io = fakeIo({ stdin })
  expect(await askTyped(io, '1? ', never)).toBe('first')
  expect(await askHidden(io, '2? ', never)).toBe('second')
  expect(await askYesNo(io, '3? ', never)).toBe(true)
  expect(stdin.destroyed).toBe(false)
  expect(stdin.isPaused()).toBe(true)
})

/** A terminal with raw mode. */
function rawTerminal(...chunks: readonly string[]): { stdin: InputStream; modes: boolean[] } {
  const modes: boolean[] = []
  const keys = typing(...chunks)
  return {
    modes,
    stdin: {
      isTTY: true,
      setRawMode: (isRaw) => modes.push(isRaw),
      [Symbol.asyncIterator]: () => keys[Symbol.asyncIterator](),
    },
  }
}

test.each([
  [['secret\r'], 'secret'],
  [['s', 'e', 'c\r'], 'sec'],
  [['abc\x7f\x7fd\r'], 'ad'],
  [['\x7f\x08x\r'], 'x'],
  [['wrong\x15right\r'], 'right'],
  [['a\x1b[D\x1b[3~\x1bOPb\r'], 'ab'],
  [['a\x1b', '[Db\r'], 'ab'],
  [['ab\x04c\r'], 'abc'],
  [['a\tb\x00c\n'], 'abc'],
  [['  padded  \r'], 'padded'],
])('the keys %j give %j, without echo', async (chunks, answer) => {
  const { stdin, modes } = rawTerminal(...chunks)
  const io = fakeIo({ stdin })
  expect(await askHidden(io, 'Key: ', never)).toBe(answer)
  expect(io.err()).toBe('Key: \n')
  expect(modes).toEqual([true, false])
})

test.each([
  ['\x03', 'interrupted'],
  ['abc\x03', 'interrupted'],
  ['\x04', 'unconfirmed'],
])('the keys %j end as %s, and the mode of the terminal is restored', async (keys, code) => {
  const { stdin, modes } = rawTerminal(keys)
  await expect(askHidden(fakeIo({ stdin }), 'Key: ', never)).rejects.toMatchObject({ code })
  expect(modes).toEqual([true, false])
})
