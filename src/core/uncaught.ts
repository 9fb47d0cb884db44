/** An error that nothing caught, as the cause: reported as a bug, although the signal is aborted. */
export class Uncaught extends Error {
  override readonly name = 'Uncaught'

  constructor(cause: unknown) {
    super('uncaught', { cause })
  }
}

/** Returns a function that stops watching. */
export type WatchProcess = (on: {
  /** Called with an error that nothing caught; the process then goes on. */
  readonly uncaught: (error: unknown) => void
  readonly exit: () => void
}) => () => void
