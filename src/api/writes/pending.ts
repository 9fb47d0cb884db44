import type { JsonValue } from '../../core/json.ts'

/** States of work that is not done. */
const STATES = /^(?:processing|in_progress|accepted|running|started|submitted)$/
const WAITING = /(?:^|_)(?:pending|(?:en)?queued|scheduled|awaiting|waiting|deferred)(?:_|$)/
const CONDITION = /(?:^|_)(?:requires?|needs?)_(?:approval|confirmation|review)$/
const DELETION = /delet|remov|purge|destr/

/** `pending_approval`, `Scheduled for deletion`. */
export function isPendingState(text: string): boolean {
  const words = snakeCase(text)
  return STATES.test(words) || WAITING.test(words)
}

/** Whether a member of this name reports that the write waits for something: `scheduled_for_deletion`, `requiresApproval`. */
export function isPendingName(name: string): boolean {
  const words = snakeCase(name)
  return WAITING.test(words) || CONDITION.test(words)
}

export function isPendingMember(name: string, value: JsonValue): boolean {
  return isPendingName(name) && (value === true || value === 'true' || isPendingDeletion(name, value))
}

/** `status: "pending_deletion"`, `deletion_scheduled_at: "2026-11-30"`: not data of the record that was to be deleted. */
export function isPendingDeletion(name: string, value: JsonValue): boolean {
  if (typeof value === 'string' && DELETION.test(value.toLowerCase()) && isPendingState(value)) return true
  return isPendingName(name) && DELETION.test(name.toLowerCase()) && (value === true || isText(value))
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string' && !/^(?:false|no|)$/i.test(value)
}

function snakeCase(text: string): string {
  return text
    .trim()
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()
}
