import { CrmError } from '../../core/errors.ts'
import { FIRST_ID_MS, firstSerialAt, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'

/** The time of a write: the clock, but never before the last serial, so that the order is never reversed. */
export function writeTimeMs(lastSerial: number, clockMs: number): number {
  return Math.max(Math.floor(clockMs), timeOfSerial(lastSerial), FIRST_ID_MS)
}

/** Greater than every earlier serial, also after restarts and when the clock steps back. */
export function nextSerial(lastSerial: number, clockMs: number): number {
  const serial = Math.max(lastSerial + 1, firstSerialAt(Math.floor(clockMs)))
  if (serial <= LAST_SERIAL) return serial
  // One such id would make all later serials exceed the limit.
  throw new CrmError(
    'machine',
    `the clock of this machine is at ${yearOf(clockMs)}, after the last possible id in 2089`,
    {
      hint: 'set the clock, then try again',
    },
  )
}

function yearOf(clockMs: number): string {
  const date = new Date(clockMs)
  return Number.isNaN(date.getTime()) ? String(clockMs) : String(date.getUTCFullYear())
}
