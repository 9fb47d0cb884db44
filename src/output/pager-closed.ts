/** Thrown by a write to a pager that the reader has closed. */
export class PagerClosed extends Error {
  override readonly name = 'PagerClosed'
}
