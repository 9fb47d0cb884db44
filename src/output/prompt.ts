import { setImmediate as nextTurn } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import { type Env, type InputStream, type Io, writeText } from '../core/streams.ts'
import { safeText } from './safe-text.ts'

const KEYS = { enter: '\r', interrupt: '\x03', end: '\x04', backspace: '\b', delete: '\x7f', clear: '\x15' } as const

export interface Terminal {
  readonly io: Io
  readonly env: Env
  readonly flags: { readonly isInputAllowed: boolean }
}

/** Whether a person can answer: stdin and stderr are terminals, and no flag forbids prompts. */
export function canAsk({ io, env, flags }: Terminal): boolean {
  return flags.isInputAllowed && !env.CI && io.stderr.isTTY === true && io.stdin.isTTY === true
}

/**
 * Asks a question on stderr, printed unchanged: `Delete it? [y/N] `. True only for `y` or `yes`. The end of input before an
 * answer is CrmError `unconfirmed`, an abort CrmError `interrupted`.
 */
export async function askYesNo(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(?:es)?$/i.test(await askTyped(io, question, signal))
}

/** Reads a line, trimmed; fails as askYesNo does. */
export async function askTyped(io: Io, question: string, signal: AbortSignal): Promise<string> {
  await writeText(io.stderr, safeText(question))
  try {
    return await readAnswer(io.stdin, signal, (text) => {
      const end = text.indexOf('\n')
      return end === -1 ? undefined : { answer: text.slice(0, end).trim(), rest: text.slice(end + 1) }
    })
  } catch (error) {
    // The terminal shows no line end for Ctrl-C and Ctrl-D; the message begins on a new line.
    await writeText(io.stderr, '\n')
    throw error
  }
}

/** Reads a line without echo. CrmError `interrupted` on Ctrl-C, `unconfirmed` at the end of input. */
export async function askHidden(io: Io, question: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = io
  // Before the question, so that keys typed ahead are not shown.
  if (stdin.isTTY) stdin.setRawMode?.(true)
  try {
    await writeText(stderr, safeText(question))
    return await readAnswer(stdin, signal, takeHidden)
  } finally {
    if (stdin.isTTY) stdin.setRawMode?.(false)
    await writeText(stderr, '\n')
  }
}

/** Reads a line from a terminal in raw mode, which sends a character for each key, including editing keys. */
function takeHidden(text: string): Taken<string> | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: arrows and function keys, ECMA-48 5.4
  const typed = [...text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)/g, '')]
  let line: string[] = []
  for (const [index, key] of typed.entries()) {
    if (key === KEYS.interrupt) throw interruptedError()
    if (key === KEYS.end && line.length === 0) throw endedError()
    if (key === KEYS.enter || key === '\n')
      return { answer: line.join('').trim(), rest: typed.slice(index + 1).join('') }
    line = edit(line, key)
  }
  return undefined
}

function edit(line: string[], key: string): string[] {
  if (key === KEYS.clear) return []
  if (key === KEYS.backspace || key === KEYS.delete) return line.slice(0, -1)
  return key >= ' ' ? [...line, key] : line
}

/** The answer, and the input after it. */
interface Taken<Answer> {
  readonly answer: Answer
  readonly rest: string
}

/**
 * Reads until `take` finds an answer in the input, and leaves the rest for the next reader. The end of input before an answer
 * is CrmError `unconfirmed`, an abort CrmError `interrupted`; errors of `take` are passed on.
 */
async function readAnswer<Answer>(
  stdin: InputStream,
  signal: AbortSignal,
  take: (text: string) => Taken<Answer> | undefined,
): Promise<Answer> {
  const left = LEFT.get(stdin)
  LEFT.delete(stdin)
  if (left) stdin.ref?.()
  const chunks = left?.chunks ?? stdin.iterator?.({ destroyOnReturn: false }) ?? stdin[Symbol.asyncIterator]()
  let next = left?.next
  const decoder = new TextDecoder()
  let rest = ''
  let text = ''
  try {
    for (;;) {
      next ??= chunks.next()
      const { done, value } = await orAbort(next, signal)
      next = undefined
      if (done) throw endedError()
      text += typeof value === 'string' ? value : decoder.decode(value, { stream: true })
      const taken = take(text)
      if (taken) {
        rest = taken.rest
        return taken.answer
      }
    }
  } finally {
    // A pending read would block return(), and the process with it.
    if (signal.aborted && next) {
      stdin.unref?.()
      LEFT.set(stdin, { chunks, next })
    } else if (stdin.iterator) await chunks.return?.()
    // A stream needs a turn of the event loop to notice that `readable` has no listener, and process.stdin another one to
    // stop: an earlier question would wait for a stream that is about to stop.
    await nextTurn()
    if (rest !== '') stdin.unshift?.(new TextEncoder().encode(rest))
    if (!signal.aborted) stdin.pause?.()
    await nextTurn()
  }
}

/** Reads that were pending when a question was withdrawn: what comes to them is for the next one. */
const LEFT = new WeakMap<InputStream, { readonly chunks: Chunks; readonly next: ReturnType<Chunks['next']> }>()

type Chunks = AsyncIterator<string | Uint8Array>

async function orAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(interruptedError())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}

function endedError(): CrmError {
  return new CrmError('unconfirmed', 'the input ended before an answer', {
    hint: 'answer at a terminal, or name the answer on the command line: see --help',
  })
}

function interruptedError(): CrmError {
  return new CrmError('interrupted', 'interrupted at a question', { hint: 'run the same command again' })
}
