import { CrmError } from '../core/errors.ts'

/** CrmError `invalid_input`, without the key in it, unless the text can stand in an Authorization header. */
export function checkKey(text: string, source: string): string {
  // Visible ASCII: a token of RFC 6750 has no blanks, and a header no controls.
  if (/^[\x21-\x7e]+$/.test(text)) return text
  const what = text === '' ? 'is empty' : 'holds a blank, a line end or a character outside ASCII'
  throw new CrmError('invalid_input', `the key from ${source} ${what}`, {
    hint: 'expected the key alone, on one line, as `crm serve keys create` prints it',
  })
}
