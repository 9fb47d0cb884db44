import { Uncaught, type WatchProcess } from '../core/uncaught.ts'

export interface Ending {
  /** Resolves when something was thrown that nothing caught. */
  readonly broken: Promise<void>
  /** That; undefined as long as there is none. */
  bug(): Uncaught | undefined
  /** As if nothing had caught it. */
  breakWith(error: unknown): void
  /** From then on the process ends as any other. */
  close(): void
}

interface Parts {
  /** Undefined where there is no process of its own. */
  readonly watchProcess: WatchProcess | undefined
  /** Done before anything else, and before the process ends, whatever ends it. */
  readonly keep: () => void
  /** Stops what goes on. */
  readonly stop: () => void
  /** Of a process that ends at once. */
  readonly lastWords: () => void
}

/** An exception, also in a promise that nothing waits for, would end the process with all that is on the screens. */
export function watchEnding({ watchProcess, keep, stop, lastWords }: Parts): Ending {
  const broken = Promise.withResolvers<void>()
  let bug: Uncaught | undefined
  const breakWith = (error: unknown) => {
    // What goes wrong on the way out comes from what went wrong before.
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
