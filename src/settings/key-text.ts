import { CrmError } from '../core/errors.ts'

/** CrmError `invalid_input`, without the key, unless the text is valid in an Authorization header. */
export function checkKey(text: string, source: string): string {
  // JavaScript callers may pass an unset variable; the pattern below would accept the text "undefined".
  const isMissing = typeof text !== 'string' || text === ''
  // Visible ASCII: a token of RFC 6750 has no blanks, and a header no control characters.
  if (!isMissing && /^[\x21-\x7e]+$/.test(text)) return text
  const what = isMissing ? 'is empty' : 'contains a blank, a line end or a character outside ASCII'
  throw new CrmError('invalid_input', `the key from ${source} ${what}`, {
    hint: 'expected the key alone, on one line, as `crm serve keys create` prints it',
  })
}
