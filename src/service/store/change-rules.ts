import { CrmError } from '../../core/errors.ts'
import { FIRST_ID_MS, firstSerialAt, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json.ts'
import { foldedText } from '../../core/nearest.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  fieldOf,
  filterFields,
  isOpenResource,
  OPEN_RESOURCES,
  type OpenResource,
  RESOURCES,
  type Resource,
  type StoredResource,
} from '../../core/resources/registry.ts'
import { type Members, parseJsonText } from '../json-text.ts'
import type { RecordChange, StoreWrite, WriteAnswer, WriteState } from './store.ts'

/**
 * Rejects a change that no store can write, before anything is written: a statement that fails later would roll back all
 * writes of the same transaction.
 */
export function checkChange(write: StoreWrite, state: WriteState, change: RecordChange): void {
  if (!change.next) return
  const isCreated = write.id === undefined
  if (!isCreated && !state.current) throw invalidChange(state, 'does not exist and cannot be changed')
  if (!state.isParentThere) throw invalidChange(state, 'cannot be written without its parent')
  if (isCreated && write.parent?.resource !== parentOf(write.resource))
    throw invalidChange(state, 'names another parent')
  if (write.resource === 'deal' && !change.deal) throw invalidChange(state, 'needs the columns of a deal')
  if (write.resource === 'webhook' && isCreated && change.webhook?.secret === undefined)
    throw invalidChange(state, 'needs its url and secret')
}

function parentOf(resource: StoredResource): ResourceDefinition['parent'] {
  const { parent }: ResourceDefinition = RESOURCES[resource]
  return parent
}

/** A bug of the caller, not a failure that a user can correct. */
function invalidChange(state: WriteState, what: string): Error {
  return new Error(`${state.id} ${what}`)
}

/** The time of a write: the clock, but never before the last serial, so that the order is never reversed. */
export function writeTimeMs(lastSerial: number, clockMs: number): number {
  return Math.max(Math.floor(clockMs), timeOfSerial(lastSerial), FIRST_ID_MS)
}

/** Greater than every earlier serial, also after restarts and when the clock steps back. */
export function nextSerial(lastSerial: number, clockMs: number): number {
  const serial = Math.max(lastSerial + 1, firstSerialAt(Math.floor(clockMs)))
  if (serial <= LAST_SERIAL) return serial
  // One such id would make all later serials exceed the limit.
  throw new CrmError(
    'machine',
    `the clock of this machine is at ${yearOf(clockMs)}, after the last possible id in 2089`,
    {
      hint: 'set the clock, then try again',
    },
  )
}

function yearOf(clockMs: number): string {
  const date = new Date(clockMs)
  return Number.isNaN(date.getTime()) ? String(clockMs) : String(date.getUTCFullYear())
}

/** Whether a write took effect. Only then is it written and its answer kept for replays. */
export function tookEffect(answer: WriteAnswer): boolean {
  return answer.status >= 200 && answer.status < 300
}

/** The normalised values of the unique members of a record, without null, blank text, lists and objects. */
export function uniqueValues(text: string, members: readonly string[]): ReadonlyMap<string, string> {
  const fields = parseJsonText(text) as Members
  const values = new Map<string, string>()
  for (const member of members) {
    const node = fields.get(member)
    const value = typeof node === 'string' ? comparedValue(node) : undefined
    if (value !== undefined) values.set(member, value)
  }
  return values
}

/** The normalised value of a member; a number and text with the same digits are equal. */
function comparedValue(node: string): string | undefined {
  if (node.startsWith('"')) return foldedText(JSON.parse(node) as string)
  return /^[-\d]/.test(node) ? node : undefined
}

/** The form in which a filter compares a value of a field: like unique values, but ids exactly. Undefined for a blank text. */
export function filterValue(resource: Resource, name: string, value: string): string | undefined {
  return isOpenResource(resource) && isFolded(resource, name) ? foldedText(value) : value
}

function isFolded(resource: OpenResource, name: string): boolean {
  return fieldOf(resource, name)?.type === 'text'
}

/** Found once, as every write needs them. */
const FILTER_FIELDS = new Map(
  OPEN_RESOURCES.map((resource) => [
    resource,
    filterFields(resource).map((name) => ({ name, isFolded: isFolded(resource, name) })),
  ]),
)

/** The values of a record in the columns of its filters, in their order; null where it has no text. */
export function filterColumns(resource: OpenResource, text: string): readonly (string | null)[] {
  const names = FILTER_FIELDS.get(resource) ?? []
  if (names.length === 0) return []
  const fields = JSON.parse(text) as JsonObject
  return names.map(({ name, isFolded }) => {
    const value = fields[name]
    if (typeof value !== 'string') return null
    return isFolded ? (foldedText(value) ?? null) : value
  })
}

/** The value of one of these columns. */
export function filterColumn(resource: OpenResource, name: string, text: string): string | null {
  return filterColumns(resource, text)[filterFields(resource).indexOf(name)] ?? null
}
