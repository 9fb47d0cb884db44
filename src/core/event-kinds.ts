import { PLAIN_RESOURCES, type PlainResource } from './resources/registry.ts'

export type EventKind =
  | `${PlainResource}.${'created' | 'updated' | 'deleted'}`
  | 'deal.created'
  | 'deal.updated'
  | 'note.created'
  | 'webhook.test'

/** Every kind that the service emits; a subscription lists kinds or patterns (`contact.*`, `*`). */
export const EVENT_KINDS: readonly EventKind[] = [
  ...PLAIN_RESOURCES.flatMap((name) => [`${name}.created`, `${name}.updated`, `${name}.deleted`] as const),
  'deal.created',
  'deal.updated',
  'note.created',
  'webhook.test',
]

/** A pattern is a kind, `*`, or a resource followed by `.*`. */
export function matchesEvent(pattern: string, kind: string): boolean {
  if (pattern === '*' || pattern === kind) return true
  return pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1))
}

/** Whether a pattern can match an existing kind, so that a misspelt one is rejected. */
export function isEventPattern(pattern: string): boolean {
  return EVENT_KINDS.some((kind) => matchesEvent(pattern, kind))
}
