import { CrmError } from '../core/errors.ts'

/** Runs a recursive walk through a value; CrmError `invalid_input` for a value too deep for the stack. */
export function withinStack(write: () => string): string {
  try {
    return write()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new CrmError('invalid_input', 'a record is nested too deeply, or is too long, to be shown', {
      hint: 'remove its deepest members, or show others: --fields id',
      cause,
    })
  }
}
