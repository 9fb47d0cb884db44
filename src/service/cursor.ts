import { hash } from 'node:crypto'
import { badParameter, type Problem } from './problem.ts'
import { shownText } from './shown.ts'

const MAX_SHOWN = 40

/** Opaque to clients: the last id of the page before, bound to the list and the filters that it was made for. */
export function encodeCursor(id: string, filters: string): string {
  return Buffer.from(`${filterMark(filters)}${id}`).toString('base64url')
}

/** Throws a Problem for anything that this list with these filters did not give out. */
export function decodeCursor(cursor: string, filters: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const mark = filterMark(filters)
  const id = text.slice(mark.length)
  if (!/^[A-Za-z0-9_.-]+$/.test(id)) throw noCursor(cursor)
  if (text.startsWith(mark)) return id
  throw invalidCursor(`${shownText(cursor, MAX_SHOWN)} belongs to another list or to other filters`)
}

/** For a place that no page of the list can have ended at. */
export function noCursor(cursor: string): Problem {
  return invalidCursor(`${shownText(cursor, MAX_SHOWN)} is no cursor of this service`)
}

function invalidCursor(fault: string): Problem {
  return badParameter('cursor', 'invalid_cursor', `${fault}; start the list again without one`)
}

/** Not a secret: it only tells lists apart. */
function filterMark(filters: string): string {
  return hash('sha256', filters, 'base64url').slice(0, 8)
}
