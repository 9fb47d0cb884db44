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
