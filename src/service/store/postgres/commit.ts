import { CommitInDoubt, databaseFailure } from './failure.ts'
import { isCommitted } from './sequence.ts'
import { type BatchDone, commitWrites, type WaitingWrites, type WriteContext } from './write-batch.ts'

/**
 * Commits a batch. When the answer to COMMIT is lost, the database is asked for the outcome: rejects with a passing failure when
 * nothing was written, and with CommitInDoubt when it cannot be known.
 */
export async function commitBatch(context: WriteContext, waiting: WaitingWrites): Promise<BatchDone> {
  const { database } = context
  let decided: BatchDone | undefined
  try {
    return await commitWrites(context, waiting, (done) => {
      decided = done
    })
  } catch (error) {
    // What the batch has read of rules may not have been committed.
    context.rules = undefined
    if (!(error instanceof CommitInDoubt && decided)) throw error
    if (!decided.mark) return decided
    const outcome = await isCommitted(database, decided.mark)
    if (outcome === true) return decided
    throw outcome === false ? databaseFailure(database.name, error.cause) : error
  }
}
