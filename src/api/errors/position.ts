import { CrmError } from '../../core/errors.ts'

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
