import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, valueAt } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { FIELDS, RECORD_RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'

/** What the keys of `--set` are members of: an event, or the record in one. */
export interface SetTarget {
  readonly event: string
  readonly object: JsonObject
  /** The paths in the object where a record of the event's resource is; its fields are known. */
  readonly recordPaths: readonly string[]
}

/**
 * CrmError `usage` for a member that neither the object nor a record of its resource has: it is probably misspelt, and a handler would
 * ignore it. Where nothing is known of the members, every name is taken.
 */
export function refuseUnknownMember({ event, object, recordPaths }: SetTarget, text: string): void {
  const [, key = ''] = /^([^=:]+):?=/.exec(text) ?? []
  const path = key.split('.')
  const inside = path.slice(0, -1)
  if (key === '' || valueAt(object, path) !== undefined) return
  const fields = recordPaths.includes(inside.join('.')) ? fieldsOf(event) : []
  if (fields.includes(path.at(-1) ?? '')) return
  const parent = inside.length === 0 ? object : valueAt(object, inside)
  const names = [...new Set([...(isJsonObject(parent) ? Object.keys(parent) : []), ...fields])]
  if (Object.keys(object).length === 0 && names.length === 0) return
  const meant = nearest(path.at(-1) ?? '', names)
  const near = meant === undefined ? '' : `did you mean ${[...inside, meant].join('.')}? `
  throw new CrmError('usage', `the ${event || 'event'} has no member ${key}; nothing was sent`, {
    hint: `${near}to add a member: --set-new ${shellWord(text)}`,
  })
}

/** None for events of other senders. */
function fieldsOf(event: string): readonly string[] {
  const [noun] = event.split('.')
  const resource = RECORD_RESOURCES.find((name) => name === noun)
  return resource === undefined ? [] : FIELDS[resource]
}
