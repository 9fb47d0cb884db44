import { CrmError } from '../../core/errors.ts'

/** What a check says against a text, with what to type instead; undefined when it takes it. */
export function refusalOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return `${error.message}; ${error.details.hint}`
  }
}
