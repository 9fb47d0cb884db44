import { CrmError } from '../core/errors.ts'

/** CrmError `invalid_input`, without the key in it, unless the text can stand in an Authorization header. */
export function checkKey(text: string, source: string): string {
  // An unset variable that a program in JavaScript passes on; below, undefined would be a key of that name.
  const isMissing = typeof text !== 'string' || text === ''
  // Visible ASCII: a token of RFC 6750 has no blanks, and a header no controls.
  if (!isMissing && /^[\x21-\x7e]+$/.test(text)) return text
  const what = isMissing ? 'is empty' : 'holds a blank, a line end or a character outside ASCII'
  throw new CrmError('invalid_input', `the key from ${source} ${what}`, {
    hint: 'expected the key alone, on one line, as `crm serve keys create` prints it',
  })
}
