import { setImmediate as nextTurn } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import type { InputStream } from '../core/streams.ts'

/** The answer, and the input after it. */
export interface Taken<Answer> {
  readonly answer: Answer
  readonly rest: string
}

/**
 * Reads until `take` finds an answer in the input, and leaves the rest for the next reader. The end of input before an answer
 * is CrmError `unconfirmed`, an abort CrmError `interrupted`; errors of `take` are passed on.
 */
export async function readAnswer<Answer>(
  stdin: InputStream,
  signal: AbortSignal,
  take: (text: string) => Taken<Answer> | undefined,
): Promise<Answer> {
  const own = stdin.iterator?.({ destroyOnReturn: false })
  const chunks = own ?? stdin[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  let rest = ''
  let text = ''
  try {
    for (;;) {
      const { done, value } = await orAbort(chunks.next(), signal)
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
    if (signal.aborted) stdin.unref?.()
    else await own?.return?.()
    // A stream needs a turn of the event loop to notice that `readable` has no listener, and process.stdin another one to
    // stop: an earlier question would wait for a stream that is about to stop.
    await nextTurn()
    if (rest !== '') stdin.unshift?.(new TextEncoder().encode(rest))
    stdin.pause?.()
    await nextTurn()
  }
}

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

export function endedError(): CrmError {
  return new CrmError('unconfirmed', 'the input ended before an answer', {
    hint: 'answer at a terminal, or name the answer on the command line: see --help',
  })
}

export function interruptedError(): CrmError {
  return new CrmError('interrupted', 'interrupted at a question', { hint: 'run the same command again' })
}
