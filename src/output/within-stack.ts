import { CrmError } from '../core/errors.ts'

/** For what walks through a value by recursion: a value that is too deep for the stack is the value's fault. */
export function withinStack(write: () => string): string {
  try {
    return write()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new CrmError('invalid_input', 'a record is nested too deep, or is too long, to be shown', {
      hint: 'take its deepest members out, or show others: --fields id',
      cause,
    })
  }
}
