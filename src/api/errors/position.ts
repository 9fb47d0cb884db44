import { CrmError } from '../../core/errors.ts'

/** Where a page starts: at a cursor, which goes back in a parameter, or at an address on the same origin. */
export type Position =
  | { readonly parameter: string; readonly cursor: string }
  /** Path and query, from the origin on. */
  | { readonly address: string }

const DEFAULT_PARAMETER = 'cursor'

/**
 * One text for both, which `parsePosition` takes apart again: a cursor is itself where it goes back in the usual
 * parameter, else `?after=abc`; an address is `?/v1/contacts?page=2`.
 */
export function positionText(position: Position, usual = DEFAULT_PARAMETER): string {
  if ('address' in position) return `?${position.address}`
  const { parameter, cursor } = position
  // No cursor that is itself starts with the sign of the other two.
  return parameter === usual && !cursor.startsWith('?') ? cursor : `?${new URLSearchParams({ [parameter]: cursor })}`
}

/** CrmError `invalid_input` for an address that leads to another origin. */
export function parsePosition(text: string, origin: string, usual = DEFAULT_PARAMETER): Position {
  if (!text.startsWith('?')) return { parameter: usual, cursor: text }
  if (text.startsWith('?/')) {
    const address = addressOn(origin, text.slice(1), origin)
    if (address !== undefined) return { address }
  } else {
    const [[parameter, cursor] = [], ...others] = [...new URLSearchParams(text.slice(1))]
    if (parameter && cursor && others.length === 0) return { parameter, cursor }
  }
  throw new CrmError('invalid_input', `${JSON.stringify(text)} is no cursor of ${origin}`, {
    hint: 'use the one that the list before this one named, as it is',
  })
}

/** The same request with this parameter in another value. */
export function withParameter(url: URL, parameter: string, value: string): Position {
  const next = new URL(url)
  next.searchParams.set(parameter, value)
  return { address: next.pathname + next.search }
}

/** Path and query of `target`, read relative to `base`; undefined when it leads to another origin or nowhere. */
export function addressOn(origin: string, target: string, base: string): string | undefined {
  const url = URL.parse(target, base)
  return url?.origin === origin && !url.username && !url.password ? url.pathname + url.search : undefined
}
