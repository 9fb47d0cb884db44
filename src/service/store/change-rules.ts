import { CrmError } from '../../core/errors.ts'
import { FIRST_ID_MS, firstSerialAt, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'
import type { Change, Write, WriteState } from './store.ts'

/**
 * Rejects a change that no store can write, before anything is written: a statement that fails later would roll back all
 * writes of the same transaction.
 */
export function checkChange(write: Write, state: WriteState, change: Change): void {
  if (!change.next) return
  const isCreated = write.id === undefined
  if (!isCreated && !state.current) throw invalidChange(state, 'does not exist and cannot be changed')
  if (!state.isParentThere) throw invalidChange(state, 'cannot be written without its parent')
  if (write.kind === 'note' && isCreated && write.parent?.kind !== 'deal') throw invalidChange(state, 'needs its deal')
  if (write.kind === 'deal' && !change.deal) throw invalidChange(state, 'needs the columns of a deal')
  if (write.kind === 'webhook' && isCreated && !change.webhook) throw invalidChange(state, 'needs its url and secret')
}

/** A bug of the caller, not a failure that a user can correct. */
function invalidChange(state: WriteState, what: string): Error {
  return new Error(`${state.id} ${what}`)
}

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
