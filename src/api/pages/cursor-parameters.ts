import { CURSOR_PARAMETERS, PAGE_PARAMETERS } from './names.ts'

/**
 * In which parameters a cursor may go back, the likeliest first: `nextPageToken` as `pageToken`, `next_token` under its own
 * name, a number as that of a page.
 */
export function cursorParameters(ownName: string | undefined, cursor: string): readonly string[] {
  const isNumber = /^\d{1,6}$/.test(cursor)
  const own = ownName === undefined ? [] : namesFrom(ownName, isNumber)
  const usual = isNumber
    ? [...PAGE_PARAMETERS.slice(0, 4), 'offset', 'skip', 'start', 'after', 'start_cursor']
    : CURSOR_PARAMETERS
  return [...new Set([...own, ...usual])]
}

function namesFrom(ownName: string, isNumber: boolean): readonly string[] {
  const name = ownName.replace(/^x-/i, '')
  const rest = name.replace(/^next[-_]?(?=\w)/i, '')
  const bare = rest === name ? name.replace(/^_+/, '') : rest.charAt(0).toLowerCase() + rest.slice(1)
  const parameter =
    bare.replaceAll('-', '_').toLowerCase() === bare.replaceAll('-', '_') ? bare.replaceAll('-', '_') : bare
  // `next_token` is sent under its own name; a bare `token` is more often a key.
  if (/^(?:token|key)$/i.test(parameter)) return [name, parameter]
  return isNumber ? [parameter] : [parameter, name]
}
