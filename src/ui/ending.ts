import { Uncaught, type WatchProcess } from '../core/uncaught.ts'

export interface Ending {
  /** Resolves after an uncaught error. */
  readonly broken: Promise<void>
  /** That error; undefined when there is none. */
  bug(): Uncaught | undefined
  /** Treats an error as uncaught. */
  breakWith(error: unknown): void
  /** Stops watching. */
  close(): void
}

interface Parts {
  /** Undefined when the process is shared with other code. */
  readonly watchProcess: WatchProcess | undefined
  /** Called first after an uncaught error, and at the exit of the process. */
  readonly keep: () => void
  /** Stops the screens and their requests. */
  readonly stop: () => void
  /** Called at the exit of the process. */
  readonly lastWords: () => void
}

/** Without it an uncaught error would end the process, and lose unsent changes. */
export function watchEnding({ watchProcess, keep, stop, lastWords }: Parts): Ending {
  const broken = Promise.withResolvers<void>()
  let bug: Uncaught | undefined
  const breakWith = (error: unknown) => {
    // Later errors are consequences of the first.
    if (bug) return
    bug = new Uncaught(error)
    try {
      keep()
    } finally {
      broken.resolve()
      stop()
    }
  }
  const onExit = () => {
    keep()
    lastWords()
  }
  const close = watchProcess?.({ uncaught: breakWith, exit: onExit })
  return { broken: broken.promise, bug: () => bug, breakWith, close: () => close?.() }
}
