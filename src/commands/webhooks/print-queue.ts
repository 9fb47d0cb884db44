import { setImmediate as nextTurn } from 'node:timers/promises'
import { type OutputStream, writeText } from '../../core/streams.ts'

/** What waits while the reader is behind goes out together; each resolves when its text is with the reader. */
export function createPrintQueue(stdout: OutputStream): (text: string) => Promise<void> {
  let waiting: string[] = []
  let next: Promise<void> | undefined
  let last = Promise.resolve()
  const writeWaiting = async (): Promise<void> => {
    const text = waiting.join('')
    waiting = []
    next = undefined
    await writeText(stdout, text)
    // A reader that is gone is told of in the same turn: nothing is acknowledged that went nowhere.
    await nextTurn()
  }
  return (text) => {
    waiting.push(text)
    next ??= last.then(writeWaiting)
    last = next
    return next
  }
}
