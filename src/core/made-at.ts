import { idText, type JsonObject, type JsonValue } from './json.ts'
import { valuesOf } from './other-values.ts'
import { recordTime } from './record-time.ts'
import type { CrmRecord } from './resources/registry.ts'

/**
 * Whether the record was created at that time or later. Undefined if the record does not state it: it shows no time, a day, or a
 * time without a zone, of which it is unknown how far it is from UTC.
 */
export function isMadeSince(record: CrmRecord, sinceMs: number): boolean | undefined {
  const made = recordTime(record.created_at ?? record.createdAt)
  if (made === undefined) return undefined
  if (made.earliestMs >= sinceMs - SKEW_MS) return true
  return made.latestMs < sinceMs - SKEW_MS ? false : undefined
}

/** A clause for messages about records of which isMadeSince is undefined. */
export const MADE_UNKNOWN = 'the server does not state when it was created, to the second and with a zone'

/** The clocks of the machines behind one server can differ by this much. */
const SKEW_MS = 5000

/** Times without a zone may be off by as much as this. */
const ZONES_MS = 26 * 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/** `created_at`, `dateCreated`, `date_added`, `CreatedDate`, `createdate` (HubSpot), `add_time` (Pipedrive), `inserted_at`. */
const CREATED_NAME =
  /^(?:date_?(?:created|added|entered)|(?:created|inserted|added)_?(?:at|on|date|time)|created|(?:create|add)_?(?:date|time|at)|creation_?(?:date|time))$/i
const CHANGED_NAME =
  /^(?:date_?(?:updated|modified|changed)|(?:last_?)?(?:updated|modified|changed)_?(?:at|on|date|time)?|update_?(?:time|date)|SystemModstamp)$/i

/** Servers write the year 1, 1900 or 1970 for no time. */
const EARLIEST_MS = Date.UTC(1990)
const LATEST_SECONDS = 1e11

const TEXT_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$|^[a-z]{3}, \d{1,2} [a-z]{3} \d{4} \d\d:\d\d/i
const DAY = /^\d{4}-\d\d-\d\d$/
const DOTNET_TIME = /^\/Date\((\d+)[^)]*\)\/$/

interface Age {
  readonly timeMs: number
  readonly text: string
}

/**
 * Whether a record shows that it existed before: it was created then, or, if it does not say when, changed last. Members that
 * were sent prove nothing.
 */
export function isOlder(record: JsonObject, thanMs: number, sent: JsonObject = {}): boolean {
  return areOlder(agesOf(record, sent), thanMs)
}

/** Whether a record, in the answer to its create, was there before: it is older than the request, or was changed long after it was created. */
export function wasThereBefore(record: JsonObject, sinceMs: number, sent: JsonObject): boolean {
  const ages = agesOf(record, sent)
  return areOlder(ages, sinceMs) || areFarApart(ages)
}

interface Ages {
  readonly created: Age | undefined
  readonly changed: Age | undefined
}

function areOlder({ created, changed }: Ages, thanMs: number): boolean {
  const oldest = created ?? changed
  return oldest !== undefined && oldest.timeMs + ZONES_MS < thanMs
}

function areFarApart({ created, changed }: Ages): boolean {
  if (!created || !changed || created.text === changed.text) return false
  const notation = notationOf(created)
  if (notation !== notationOf(changed) || notation === '0000-00-00') return false
  return changed.timeMs - created.timeMs > MOST_CREATING_MS
}

/** No create takes longer between the two times that it writes. */
const MOST_CREATING_MS = 60_000

/** The digits as zeros: two times of one notation are of one zone. */
function notationOf({ text }: Age): string {
  return text.replace(/\.\d+/, '').replace(/\d/g, '0')
}

function agesOf(record: JsonObject, sent: JsonObject): Ages {
  let created: Age | undefined
  let changed: Age | undefined
  const values = valuesOf(record)
  for (const name of Object.keys(values)) {
    const isCreated = CREATED_NAME.test(name)
    if ((!isCreated && !CHANGED_NAME.test(name)) || Object.hasOwn(sent, name)) continue
    const age = ageOf(values[name])
    if (isCreated) created ??= age
    else changed ??= age
  }
  return { created, changed }
}

function ageOf(value: JsonValue | undefined): Age | undefined {
  const text = idText(value)?.trim() ?? ''
  const timeMs = timeIn(text)
  return timeMs >= EARLIEST_MS ? { timeMs, text } : undefined
}

/** NaN for what is no time. A day is over when it ends. */
function timeIn(text: string): number {
  const digits = DOTNET_TIME.exec(text)?.[1] ?? text
  if (/^\d{9,14}(?:\.\d+)?$/.test(digits)) return Number(digits) * (Number(digits) < LATEST_SECONDS ? 1000 : 1)
  if (!TEXT_TIME.test(text)) return Number.NaN
  return Date.parse(text) + (DAY.test(text) ? DAY_MS : 0)
}
