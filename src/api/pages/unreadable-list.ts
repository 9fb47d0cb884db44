import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'

const LASTING: readonly ExitCode[] = [EXIT.rejected, EXIT.notFound, EXIT.forbidden]

/** Whether a list would fail again: it does not exist, the key may not read it, or its end is unknown. */
export function isListUnreadable(error: unknown): error is CrmError {
  return error instanceof CrmError && LASTING.includes(error.exit)
}
