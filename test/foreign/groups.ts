import type { CommandShape, ListShape } from './shape.ts'
import { ADDRESSES } from './shapes/addresses.ts'
import { CURSORS } from './shapes/cursors.ts'
import { ENDS } from './shapes/ends.ts'
import { EXACT, HIDING } from './shapes/exact-pages.ts'
import { HOSTILE } from './shapes/hostile.ts'
import { LACKING } from './shapes/lacking.ts'
import { NUMBERED } from './shapes/numbered.ts'
import { FULL, PAGE_TOTALS } from './shapes/page-totals.ts'
import { PRODUCTS } from './shapes/products.ts'
import { REFUSALS, WORDED } from './shapes/refusals.ts'
import { REFUSING } from './shapes/refusing.ts'
import { REMAINING } from './shapes/remaining.ts'
import { REPEATING } from './shapes/repeating.ts'
import { DISTRACTED, LEADING, PARTS } from './shapes/signs.ts'
import { WHOLE } from './shapes/whole.ts'
import { DELETIONS_OF_MANY } from './shapes/write-deletions.ts'
import { WRITE_REDIRECTS } from './shapes/write-redirects.ts'

/** Each file of shapes in a line. Every object of groups has a file of tests, which workers share. */
type Groups<Shape> = Readonly<Record<string, readonly Shape[]>>

export const COUNTS: Groups<ListShape> = {
  'counts its pages or records': NUMBERED,
  'counts more records than come': LACKING,
  'counts as many records as a page holds': PAGE_TOTALS,
  'gives as many records as were asked for': FULL,
  'states what remains, or always a next page': REMAINING,
  'names a next page only where there is one': EXACT,
  'names a next page at some sizes only': HIDING,
  'refuses a page': REFUSING,
  'shows records again': REPEATING,
}

export const LINKS: Groups<ListShape> = {
  'gives a cursor': CURSORS,
  'gives the address of the next page': ADDRESSES,
  'ends in an object about paging, or at a count': ENDS,
  'leaves the end open': HOSTILE,
  'answers as a known product': PRODUCTS,
  'calls its answer a part': PARTS,
}

export const WHOLE_LISTS: Groups<ListShape> = {
  'answers with the whole list': WHOLE,
  'refuses with a 200': REFUSALS,
  'adds words to a list': WORDED,
  'has distracting words beside a whole list': DISTRACTED,
  'leads on in an unusual way': LEADING,
}

export const COMMANDS: Groups<CommandShape> = {
  'deletions of many': DELETIONS_OF_MANY,
  'writes that are redirected': WRITE_REDIRECTS,
}

/** The first shapes of each group. */
export function firstOf<Shape>(groups: Groups<Shape>, count: number): Groups<Shape> {
  return Object.fromEntries(Object.entries(groups).map(([group, shapes]) => [group, shapes.slice(0, count)]))
}
