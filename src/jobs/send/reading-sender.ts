import type { Failure } from '../../api/errors/failure.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { Write } from '../../api/writes/write.ts'
import { isJsonObject, isSameJson, type JsonObject, jsonIn, memberOf } from '../../core/json.ts'
import { isAlike } from '../../core/other-values.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/safe-text.ts'

/** The records with these ids, as far as they exist. */
export type ReadRecords = (ids: readonly string[]) => Promise<ReadonlyMap<string, CrmRecord>>

/**
 * Reads the records of changes that no version guards immediately before their request, and refuses those that differ from what was planned
 * with. This is no guard: a change between the two requests is overwritten.
 */
export function createReadingSender(sender: Sender, read: ReadRecords): Sender {
  const refusals = async (writes: readonly Write[]): Promise<readonly (Failure | undefined)[]> => {
    const ids = writes.flatMap(({ id, was }) => (id === undefined || was === undefined ? [] : [id]))
    if (ids.length === 0) return []
    const now = await read(ids)
    return writes.map((write) => refusalOf(write, now.get(write.id ?? '')))
  }
  return {
    ...sender,
    send: async (write) => (await refusals([write]))[0] ?? sender.send(write),
    sendBatch: async (writes) => {
      const refused = await refusals(writes)
      const rest = writes.filter((_, at) => !refused[at])
      if (rest.length === 0) return { outcome: undefined, rows: refused }
      const { outcome, rows } = await sender.sendBatch(rest)
      const left = rows[Symbol.iterator]()
      return { outcome, rows: writes.map((_, at) => refused[at] ?? left.next().value) }
    },
  }
}

function refusalOf({ kind, was, body }: Write, record: CrmRecord | undefined): Failure | undefined {
  const [before, sent] = [objectIn(was), objectIn(body?.toString('utf8'))]
  if (!record || !before) return undefined
  const isSame = (name: string, values: JsonObject) =>
    isSameJson(memberOf(record, name), memberOf(values, name)) ||
    isAlike(memberOf(record, name), memberOf(values, name))
  const name = Object.keys(before).find((each) => {
    // A record that is read alone may show fewer members than in a list.
    if (kind === 'delete') return Object.hasOwn(record, each) && !isSame(each, before)
    // A try whose response was lost may have written it.
    return !isSame(each, before) && !(sent && isSame(each, sent))
  })
  if (name === undefined) return undefined
  const [old, now] = [memberOf(before, name), memberOf(record, name)].map((value) => jsonText(value))
  return {
    ...{ code: 'precondition_failed', status: 412, rule: 'never', isInDoubt: false, field: name },
    reason: `changed since it was planned, from ${old} to ${now}; it was not sent`,
    hint: 'crm jobs retry applies it to the current record',
  }
}

function objectIn(text: string | undefined): JsonObject | undefined {
  const value = text === undefined ? undefined : jsonIn(text)
  return isJsonObject(value) ? value : undefined
}
