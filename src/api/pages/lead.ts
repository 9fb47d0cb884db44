import { type Position, withParameter } from '../errors/position.ts'
import { CURSOR_PARAMETERS, PAGE_PARAMETERS } from './names.ts'

/** A place where the list may go on. */
export interface Lead {
  readonly position: Position
  /** In which the cursor goes there; undefined for an address. */
  readonly parameter: string | undefined
}

/** The same cursor in one parameter after the other. */
export function leadsIn(parameters: readonly string[], cursor: string, url: URL): readonly Lead[] {
  return parameters.map((parameter) => ({ position: placed(cursor, parameter, url), parameter }))
}

/** A number means the page only beside the size that the pages before it had: it is kept as the whole address. */
export function placed(cursor: string, parameter: string, url: URL): Position {
  return isPageNumber(parameter) ? withParameter(url, parameter, cursor) : { parameter, cursor }
}

function isPageNumber(parameter: string): boolean {
  return /^(?:p|page(?:[_-]?(?:no|num|number))?|page\[number\]|pagination\[page\])$/i.test(parameter)
}

/** What looks like an address is one, also one that is relative (RFC 3986, 4.2). */
export function isAddressLike(text: string): boolean {
  return /^(?:https?:\/\/|[/?]|\.\.?\/)|^[\w.~%/-]+\?[\w.~%$[\]-]+=/i.test(text)
}

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
