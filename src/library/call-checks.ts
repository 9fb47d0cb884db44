import type { ConditionalOptions, ListQuery } from '../api/operations.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { DeleteCall, ListCall, ReadCall, UpdateCall } from './calls.ts'

// For what programs without types pass. A misspelt name that was ignored could repeat a write, or list everything.

const PLAIN_WRITE: ConditionalOptions = { idempotencyKey: undefined, ifMatch: undefined }

/** CrmError `invalid_input` for a member that is not known. */
export function checkNames(what: string, given: unknown, known: readonly string[]): void {
  const hint = `expected ${known.join(', ')}`
  if (!isJsonObject(given)) throw new CrmError('invalid_input', `${what} takes an object of options`, { hint })
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new CrmError('invalid_input', `${what} takes no ${JSON.stringify(unknown)}`, { hint })
}

export function checkedWrite(options: UpdateCall = {}, more: readonly 'ifMatch'[] = []): ConditionalOptions {
  checkNames('a write', options, ['idempotencyKey', 'isIdNeeded', 'signal', ...more])
  return { ...PLAIN_WRITE, ...options, ifMatch: options.ifMatch?.toString() }
}

export function checkedDelete(options: DeleteCall = {}): ConditionalOptions {
  checkNames('delete', options, ['ifMatch', 'signal'])
  return { ...PLAIN_WRITE, ...options, ifMatch: options.ifMatch?.toString() }
}

export function checkedRead(options: ReadCall = {}): ReadCall {
  checkNames('a read', options, ['signal'])
  return options
}

export function checkedFields(fields: JsonObject): JsonObject {
  if (isJsonObject(fields)) return fields
  throw new CrmError('invalid_input', 'a record is an object of its members', { hint: "such as { name: 'Ada' }" })
}

const QUERY = ['limit', 'cursor', 'filters', 'signal']

export function checkedQuery(query: ListCall = {}): ListQuery {
  const unknown = Object.keys(query).find((name) => !QUERY.includes(name))
  if (unknown !== undefined) {
    throw new CrmError('invalid_input', `a list takes no ${JSON.stringify(unknown)}`, {
      hint: `expected ${QUERY.join(', ')}; members of records go into filters: { filters: { stage: 'Won' } }`,
    })
  }
  const { limit, cursor, filters = {}, signal } = query
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw new CrmError('invalid_input', `limit is ${limit}, which is no number of records`, {
      hint: 'expected a whole number above 0; leave it out to list all',
    })
  }
  return { limit, cursor, filters: checkedFilters(filters), signal }
}

function checkedFilters(filters: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  if (!isJsonObject(filters)) checkNames('filters', filters, [])
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const wrong = given.find(([, value]) => typeof value !== 'string')
  if (wrong === undefined) return Object.fromEntries(given as [string, string][])
  throw new CrmError('invalid_input', `the filter ${wrong[0]} is ${typeof wrong[1]}, expected a text`, {
    hint: `{ filters: { ${JSON.stringify(wrong[0])}: '${String(wrong[1])}' } }`,
  })
}
