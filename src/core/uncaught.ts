/** Wraps an uncaught error as its cause: reported as a bug, even when the signal is aborted. */
export class Uncaught extends Error {
  override readonly name = 'Uncaught'

  constructor(cause: unknown) {
    super('uncaught', { cause })
  }
}

/** Returns a function that stops watching. */
export type WatchProcess = (on: {
  /** Called with an uncaught error; the process continues. */
  readonly uncaught: (error: unknown) => void
  readonly exit: () => void
}) => () => void
