/** Every kind the service emits; a subscription names them, or globs over them (`contact.*`, `*`). */
export const EVENT_KINDS = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'deal.created',
  'deal.updated',
  'note.created',
  'webhook.test',
] as const

export type EventKind = (typeof EVENT_KINDS)[number]

/** A pattern is a kind, `*`, or a resource followed by `.*`. */
export function matchesEvent(pattern: string, kind: string): boolean {
  if (pattern === '*' || pattern === kind) return true
  return pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1))
}

/** Whether a pattern can match anything that exists, so that a misspelt one is refused and not silent. */
export function isEventPattern(pattern: string): boolean {
  return EVENT_KINDS.some((kind) => matchesEvent(pattern, kind))
}
