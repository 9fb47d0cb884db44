import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('ask-three.ts', import.meta.url))

interface Asking {
  readonly process: ChildProcessWithoutNullStreams
  readonly printed: Promise<string>
  /** Resolves when the question is on stderr. */
  asked(question: string): Promise<void>
}

function startAsking(): Asking {
  const process = spawn(globalThis.process.execPath, [script])
  onTestFinished(() => void process.kill('SIGKILL'))
  let shown = ''
  process.stderr.on('data', (chunk) => {
    shown += chunk
  })
  return {
    process,
    printed: text(process.stdout),
    async asked(question) {
      while (!shown.includes(question)) await once(process.stderr, 'data')
    },
  }
}

test('each question reads the input after it, and the process ends by itself with its input open', async () => {
  const { process, printed, asked } = startAsking()
  for (const [question, line] of [
    ['name? ', 'Ann\n'],
    ['key? ', 'secret\n'],
    ['sure? ', 'y\n'],
  ] as const) {
    await asked(question)
    process.stdin.write(line)
  }
  expect(await printed).toBe('["Ann","secret",true]')
})

test('lines pasted at once are kept for later questions', async () => {
  const { process, printed } = startAsking()
  process.stdin.write('Ann\nsecret\ny\n')
  expect(await printed).toBe('["Ann","secret",true]')
})

test('an input that ends after the first answer ends the second question', async () => {
  const { process, printed } = startAsking()
  process.stdin.end('Ann\n')
  expect(await printed).toBe('unconfirmed')
})

test('an interruption ends the question and the process, although its input is open', async () => {
  const { process, printed, asked } = startAsking()
  await asked('name? ')
  process.kill('SIGINT')
  expect(await printed).toBe('interrupted')
})
