import type { JsonObject } from '../core/json.ts'
import { damaged, objectIn, replaceIn } from './document.ts'

// Earlier versions described servers by settings `wire.*` and `operations`; a connector does it now.

/** With the defaults that they had; a default says nothing of a server. */
const DEFAULTS = {
  idempotency: 'unknown',
  idempotency_header: 'Idempotency-Key',
  idempotency_window: '30m',
  idempotency_scope: 'key',
  request_life: '2m',
  limit_param: 'limit',
  paging: '',
  cursor_param: '',
  items_path: '',
  next_path: '',
  graphql_path: '',
  run_marker: '',
} as const

type EarlierName = keyof typeof DEFAULTS

/** What such a profile says of its server: `wire.paging` is `paging`. */
export type EarlierSettings = Readonly<Partial<Record<EarlierName, string>>>

const NAMES = Object.keys(DEFAULTS) as readonly EarlierName[]

/** Undefined if the profile says nothing of its server. CrmError `invalid_input` for what is no text. */
export function earlierSettings(stored: JsonObject, name: string, path: string): EarlierSettings | undefined {
  const wire = objectIn(stored, 'wire', path)
  const found = NAMES.flatMap((key) => {
    const value = Object.hasOwn(wire, key) ? wire[key] : undefined
    if (value === undefined || value === DEFAULTS[key]) return []
    if (typeof value !== 'string') {
      throw damaged(path, `${name}.wire.${key} is ${JSON.stringify(value)}, expected a string`)
    }
    return [[key, value] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Members of the file that crm does not know are kept. */
export function withoutEarlier(stored: JsonObject): JsonObject {
  const names = [...NAMES, 'page_size'].map((key) => ['wire', key])
  return [...names, ['operations']].reduce((rest, place) => replaceIn(rest, place, undefined), stored)
}

/** Whether a profile without a connector is one of `crm serve`: it has served there, or has what no other server has. */
export function isOfCrmServe(stored: JsonObject): boolean {
  const { serve_database: database, operations } = stored
  const names = typeof operations === 'string' ? operations.split(',') : []
  return typeof database === 'string' || ['fixtures.kept', 'jobs.named'].some((each) => names.includes(each))
}
