import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { type Call, cannot } from '../transport/call.ts'

const LASTING: readonly ExitCode[] = [EXIT.rejected, EXIT.notFound, EXIT.forbidden]

/** For an answer that is not the page which the connector describes. */
export function badPage(call: Pick<Call, 'action'>, reason: string, hint: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint })
}

/** Whether a list would fail again: it does not exist, the key may not read it, or it is not what the connector describes. */
export function isListUnreadable(error: unknown): error is CrmError {
  return error instanceof CrmError && LASTING.includes(error.exit)
}
