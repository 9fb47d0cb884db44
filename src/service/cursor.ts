import { hash } from 'node:crypto'
import { badParameter } from './problem.ts'

/** Opaque to clients: the last id of the page before, bound to the list and the filters that it was made for. */
export function encodeCursor(id: string, filters: string): string {
  return Buffer.from(`${filterMark(filters)}${id}`).toString('base64url')
}

/** Throws a Problem for anything that this list with these filters did not give out. */
export function decodeCursor(cursor: string, filters: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const mark = filterMark(filters)
  const id = text.slice(mark.length)
  if (!/^[A-Za-z0-9_.-]+$/.test(id)) throw badParameter('cursor', 'invalid_cursor', 'this is no cursor of this service')
  if (text.startsWith(mark)) return id
  throw badParameter('cursor', 'invalid_cursor', 'the cursor belongs to another list or to other filters')
}

/** Not a secret: it only tells lists apart. */
function filterMark(filters: string): string {
  return hash('sha256', filters, 'base64url').slice(0, 8)
}
