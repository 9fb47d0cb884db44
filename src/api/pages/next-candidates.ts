import { type Position, withParameter } from '../errors/position.ts'
import { CURSOR_PARAMETERS, PAGE_PARAMETERS } from './names.ts'

/** A possible next page. */
export interface NextCandidate {
  readonly position: Position
  /** The parameter for the cursor; undefined for an address. */
  readonly parameter: string | undefined
}

/** The same cursor in each of the parameters. */
export function candidatesIn(parameters: readonly string[], cursor: string, url: URL): readonly NextCandidate[] {
  return parameters.map((parameter) => ({ position: placed(cursor, parameter, url), parameter }))
}

/** A page number depends on the page size, so it is kept as the whole address. */
export function placed(cursor: string, parameter: string, url: URL): Position {
  return isPageNumber(parameter) ? withParameter(url, parameter, cursor) : { parameter, cursor }
}

function isPageNumber(parameter: string): boolean {
  return /^(?:p|page(?:[_-]?(?:no|num|number))?|page\[number\]|pagination\[page\])$/i.test(parameter)
}

/** Whether a text looks like an address, possibly relative (RFC 3986, 4.2). */
export function isAddressLike(text: string): boolean {
  return /^(?:https?:\/\/|[/?]|\.\.?\/)|^[\w.~%/-]+\?[\w.~%$[\]-]+=/i.test(text)
}

/**
 * The parameters in which a cursor may be sent, most likely first: `nextPageToken` as `pageToken`, `next_token` under its
 * own name, a number as a page number.
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
