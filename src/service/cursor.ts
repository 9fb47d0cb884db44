import { hash } from 'node:crypto'
import { badParameter, type Problem } from './problem.ts'
import { shownText } from './shown.ts'

const MAX_SHOWN = 40

/** Opaque to clients: the last id of the previous page, bound to its list and filters. */
export function encodeCursor(id: string, filters: string): string {
  return cursorsOf(filters)(id)
}

/** For lists with a cursor per record. */
export function cursorsOf(filters: string): (id: string) => string {
  const mark = filterMark(filters)
  return (id) => Buffer.from(`${mark}${id}`).toString('base64url')
}

/** The text that a cursor is bound to: the path and every filter parameter, in sorted order. */
export function filterText(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const filters = Object.entries(query).filter(([name]) => name !== 'limit' && name !== 'cursor')
  return JSON.stringify([path, ...filters.sort(([one], [other]) => (one < other ? -1 : 1))])
}

/** Throws a Problem for any cursor not issued for this list with these filters. */
export function decodeCursor(cursor: string, filters: string, parameter: string = 'cursor'): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const mark = filterMark(filters)
  const id = text.slice(mark.length)
  if (!/^[A-Za-z0-9_.-]+$/.test(id)) throw unknownCursor(cursor, parameter)
  if (text.startsWith(mark)) return id
  throw invalidCursor(`${shownText(cursor, MAX_SHOWN)} belongs to another list or to other filters`, parameter)
}

/** For a cursor that no page of the list can have returned. */
export function unknownCursor(cursor: string, parameter: string = 'cursor'): Problem {
  return invalidCursor(`${shownText(cursor, MAX_SHOWN)} is not a cursor of this service`, parameter)
}

function invalidCursor(fault: string, parameter: string): Problem {
  return badParameter(parameter, 'invalid_cursor', `${fault}; start the list again without one`)
}

/** Not a secret: it only distinguishes lists. */
function filterMark(filters: string): string {
  return hash('sha256', filters, 'base64url').slice(0, 8)
}
