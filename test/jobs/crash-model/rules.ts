/** What the protocol of docs/job-format.md asks of the client. A mutant lacks one of them. */
export interface Rules {
  /** A row has one key, derived from its content; without it, one key an attempt. */
  readonly isKeyDerived: boolean
  /** A lease is on disk before the first byte of what it covers is sent. */
  readonly isSyncedBeforeSend: boolean
  /** A lease that a process before us wrote may be in the page cache alone: it is synced before it is used. */
  readonly isSyncedOnResume: boolean
  /** A key is sent again only while the server still knows it. */
  readonly isWindowChecked: boolean
  /** And while it still will when the request arrives, which may take the life of a request. */
  readonly isLifeOfRequestCounted: boolean
  /** The record is looked for only when nothing that could still make it is under way. */
  readonly isQuietBeforeReconcile: boolean
  /** A new generation follows a proof that the record is not there, never the mere end of the window. */
  readonly isAbsenceProven: boolean
  /** One look may come before the list shows what was made. */
  readonly isAbsenceSeenTwice: boolean
  /** Where keys are not kept, what may have been sent is looked for before it is sent again. */
  readonly isSentOnceWithoutKeys: boolean
  /** Half a record at the end is cut off before anything is written behind it. */
  readonly isTornTailCut: boolean
}

export const PROTOCOL: Rules = {
  isKeyDerived: true,
  isSyncedBeforeSend: true,
  isSyncedOnResume: true,
  isWindowChecked: true,
  isLifeOfRequestCounted: true,
  isQuietBeforeReconcile: true,
  isAbsenceProven: true,
  isAbsenceSeenTwice: true,
  isSentOnceWithoutKeys: true,
  isTornTailCut: true,
}

export interface Setting {
  readonly rules: Rules
  /** Whether the server keeps idempotency keys, and is known to. */
  readonly areKeysKept: boolean
  /** Whether a list shows what was made: contacts and deals, not notes. */
  readonly isReadable: boolean
  /** Whether the user's API key is exchanged between runs, on a server that knows idempotency keys by API key. */
  readonly isApiKeyExchanged: boolean
  /** Whether the server may fail, and keeps that answer where it keeps keys, as some do, and replays it. */
  readonly isFailureKept: boolean
}

/** In ticks: the window of a key, the longest life of a request, the time until a list shows what was made. */
export const WINDOW = 5
export const LIFE = 2
export const SETTLE = 2
/** Requests under way at once: one that is awaited, and what earlier attempts left behind. */
export const MOST_UNDER_WAY = 3
