import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject } from '../../core/json.ts'
import { madeAtMs, SKEW_MS } from '../../core/made-at.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { lookHint } from '../errors/failed-call.ts'
import type { Page } from '../operations.ts'
import type { Http } from '../transport/http.ts'
import { requestRecord, type WriteCall } from './record.ts'

/** The wait before reading the list, which may lag behind writes. */
const LIST_LAG_MS = 2000

interface Create extends WriteCall {
  readonly body: JsonObject
}

/**
 * A create of a record that can be listed. If it is in doubt and must not be repeated, the list is read once: a single
 * record with the same values, created since, is the result; otherwise CrmError `in_doubt`.
 */
export async function createRecord(http: Http, call: Create, list: () => AsyncIterable<Page>): Promise<CrmRecord> {
  const started = http.mark()
  const create = { ...call, lookCommand: lookCommand(call) }
  try {
    return await requestRecord(http, create)
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'in_doubt') throw error
    await http.pause(LIST_LAG_MS, call.signal)
    if (call.signal?.aborted) throw error
    const found = await lookFor({ body: call.body, started }, list)
    if (typeof found !== 'string') return found
    throw new CrmError('in_doubt', `${error.message}; ${found}`, {
      ...error.details,
      ...(http.areKeysKept() ? {} : { hint: lookHint(create) }),
    })
  }
}

/** The command that lists records with its email or name. */
function lookCommand({ command, body }: Create): string {
  const noun = command.replace(/ create$/, ' list')
  const name = ['email', 'name'].find((each) => typeof body[each] === 'string')
  return name === undefined ? noun : `${noun} --where ${shellWord(`.${name} == ${JSON.stringify(body[name])}`)}`
}

/** The record, or a clause with the reason why it is unknown. */
async function lookFor(
  { body, started }: { readonly body: JsonObject; readonly started: () => number },
  list: () => AsyncIterable<Page>,
): Promise<CrmRecord | string> {
  const same: CrmRecord[] = []
  try {
    for await (const { items } of list()) {
      for (const record of items) if (hasSameValues(record, body)) same.push(record)
    }
  } catch (error) {
    if (error instanceof CrmError) return `it cannot be looked up: ${error.message}`
    throw error
  }
  // The server's clock is known from the answers of the list.
  const sinceMs = started() - SKEW_MS
  const since = same.filter((record) => (madeAtMs(record) ?? Number.POSITIVE_INFINITY) >= sinceMs)
  const [only, ...others] = since
  if (!only) return 'no record with the same values is listed yet'
  if (others.length > 0) return `${since.length} records have the same values: ${since.map(idOf).join(', ')}`
  return madeAtMs(only) === undefined
    ? `${idOf(only)} has the same values, and the server does not state when it was created`
    : only
}

function hasSameValues(record: CrmRecord, body: JsonObject): boolean {
  return Object.keys(changedMembers(record, body)).length === 0
}

function idOf({ id }: CrmRecord): string {
  return idText(id) ?? 'one without an id'
}
