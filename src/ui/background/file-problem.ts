import { CrmError } from '../../core/errors.ts'

/** Why a file could not be written, in words; an error that is not one of the system is returned unchanged. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const reason = error.code === 'EEXIST' ? 'it is there already' : error.message
  return new CrmError('machine', `cannot write ${path}: ${reason}`, { cause: error, hint: 'name another file' })
}
