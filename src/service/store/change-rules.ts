import type { Change, Write, WriteState } from './store.ts'

/**
 * Refuses a change that no store could write, before anything of it is written: what a statement would refuse later
 * would take with it every write that commits in the same transaction.
 */
export function checkChange(write: Write, state: WriteState, change: Change): void {
  if (!change.next) return
  const isCreated = write.id === undefined
  if (!isCreated && !state.current) throw misdecided(state, 'is not there and cannot be changed')
  if (!state.isParentThere) throw misdecided(state, 'cannot be written without its parent')
  if (write.kind === 'note' && isCreated && write.parent?.kind !== 'deal') throw misdecided(state, 'needs its deal')
  if (write.kind === 'deal' && !change.deal) throw misdecided(state, 'needs the columns of a deal')
  if (write.kind === 'webhook' && isCreated && !change.webhook) throw misdecided(state, 'needs its url and secret')
}

/** A caller's bug, not a failure that a user could correct. */
function misdecided(state: WriteState, what: string): Error {
  return new Error(`${state.id} ${what}`)
}
