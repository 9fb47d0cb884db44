/** Thrown where a pager is written to that its reader has left: enough was seen. */
export class PagerClosed extends Error {
  override readonly name = 'PagerClosed'
}
