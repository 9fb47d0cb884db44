import { type Position, withParameter } from '../errors/position.ts'

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
