import { CrmError } from '../../core/errors.ts'
import { FIRST_ID_MS, firstSerialAt, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'

/** The time of a write: the clock's, but never before that of the last serial, so that no order ever turns round. */
export function writeTimeMs(lastSerial: number, clockMs: number): number {
  return Math.max(Math.floor(clockMs), timeOfSerial(lastSerial), FIRST_ID_MS)
}

/** Greater than every serial before it, also across restarts and clocks that step back. */
export function nextSerial(lastSerial: number, clockMs: number): number {
  const serial = Math.max(lastSerial + 1, firstSerialAt(Math.floor(clockMs)))
  if (serial <= LAST_SERIAL) return serial
  // One such id would leave every later one without a number.
  throw new CrmError('machine', `the clock of this machine says ${yearOf(clockMs)}, and ids end in 2089`, {
    hint: 'set the clock, then try again',
  })
}

function yearOf(clockMs: number): string {
  const date = new Date(clockMs)
  return Number.isNaN(date.getTime()) ? String(clockMs) : String(date.getUTCFullYear())
}
