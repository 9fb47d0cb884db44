/** What nothing caught, on its way to where errors are reported: a bug, although the program was stopped for it. */
export class Uncaught extends Error {
  override readonly name = 'Uncaught'

  constructor(cause: unknown) {
    super('uncaught', { cause })
  }
}

/** Gives back what ends it. */
export type WatchProcess = (on: {
  /** What was thrown and nothing caught: with this the process does not end of it. */
  readonly uncaught: (error: unknown) => void
  readonly exit: () => void
}) => () => void
