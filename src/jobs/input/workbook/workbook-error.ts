import { CrmError } from '../../../core/errors.ts'
import { inputName } from '../input-file.ts'

const SAVE_AGAIN = 'open it in a spreadsheet program and save it as xlsx again, or as CSV UTF-8'

/** A workbook that cannot be read as a whole; `place` is a sheet, a cell or a file inside it. */
export function workbookError(name: string, { what, place, hint = SAVE_AGAIN, cause }: WorkbookFault): CrmError {
  const where = place === undefined ? '' : `, ${place}`
  return new CrmError('invalid_input', `${inputName(name)}${where}: ${what}`, { hint, cause })
}

export interface WorkbookFault {
  /** In lower case: what was found, and what was expected. */
  readonly what: string
  readonly place?: string
  readonly hint?: string
  readonly cause?: unknown
}
