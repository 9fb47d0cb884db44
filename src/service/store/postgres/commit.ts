import { CrmError } from '../../../core/errors.ts'
import { CommitInDoubt } from './database.ts'
import { databaseFailure } from './failure.ts'
import { type Identity, isCommitted } from './sequence.ts'
import { type BatchDone, commitWrites, type WaitingWrites, type WriteContext } from './write-batch.ts'

/**
 * Commits a batch. When the answer to COMMIT is lost, the database is asked for the outcome: rejects with a passing failure when
 * nothing was written, and with a CrmError when it cannot be known.
 */
export async function commitBatch(context: WriteContext, waiting: WaitingWrites): Promise<BatchDone> {
  const { database } = context
  let decided: { readonly done: BatchDone; readonly identity: Identity } | undefined
  try {
    return await commitWrites(context, waiting, (done, identity) => {
      decided = { done, identity }
    })
  } catch (error) {
    // What the batch has read of rules may not have been committed.
    context.rules = undefined
    if (!(error instanceof CommitInDoubt && decided)) throw error
    const outcome = await isCommitted(database, decided.identity)
    if (outcome === true) return decided.done
    if (outcome === false) throw databaseFailure(database.name, error.cause)
    throw new CrmError('machine', `it is unknown whether database ${database.name} has stored the write`, {
      hint: 'send it again with the same Idempotency-Key',
      cause: error,
    })
  }
}
