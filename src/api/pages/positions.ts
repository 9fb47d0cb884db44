import { CrmError } from '../../core/errors.ts'
import { CURSOR_PARAMETERS, PAGE_NUMBER_PARAMETERS } from './names.ts'

/** Where a page starts: a cursor, sent in a parameter, or an address on the same origin. */
export type Position =
  | { readonly parameter: string; readonly cursor: string }
  /** Path and query from the origin. */
  | { readonly address: string }

const DEFAULT_PARAMETER = 'cursor'

/**
 * The text that `parsePosition` reads: the cursor itself if it is sent in the usual parameter, else `?after=abc`; an
 * address is `?/v1/contacts?page=2`.
 */
export function positionText(position: Position, usual = DEFAULT_PARAMETER): string {
  if ('address' in position) return `?${position.address}`
  const { parameter, cursor } = position
  // A cursor that starts with `?` is written like those in other parameters.
  return parameter === usual && !cursor.startsWith('?') ? cursor : `?${new URLSearchParams({ [parameter]: cursor })}`
}

/** CrmError `invalid_input` for an address on another origin. */
export function parsePosition(text: string, origin: string, usual = DEFAULT_PARAMETER): Position {
  if (!text.startsWith('?')) return { parameter: usual, cursor: text }
  if (text.startsWith('?/')) {
    const address = addressOn(origin, text.slice(1), origin)
    if (address !== undefined) return { address }
  } else {
    const [[parameter, cursor] = [], ...others] = [...new URLSearchParams(text.slice(1))]
    if (parameter && cursor && others.length === 0) return { parameter, cursor }
  }
  throw new CrmError('invalid_input', `${JSON.stringify(text)} is not a cursor of ${origin}`, {
    hint: 'use the cursor that the previous list printed, unchanged',
  })
}

/** The same request with another value of this parameter. */
export function withParameter(url: URL, parameter: string, value: string): Position {
  const next = new URL(url)
  next.searchParams.set(parameter, value)
  return { address: next.pathname + next.search }
}

/** Path and query of `target`, read relative to `base`; undefined if it is on another origin or invalid. */
export function addressOn(origin: string, target: string, base: string): string | undefined {
  const url = URL.parse(target, base)
  return url?.origin === origin && !url.username && !url.password ? url.pathname + url.search : undefined
}

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
    ? [...PAGE_NUMBER_PARAMETERS.slice(0, 4), 'offset', 'skip', 'start', 'after', 'start_cursor']
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
