import { CrmError } from '../../core/errors.ts'

/** The error of a check, with its hint; undefined when the check passes. */
export function refusalOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return `${error.message}; ${error.details.hint}`
  }
}
