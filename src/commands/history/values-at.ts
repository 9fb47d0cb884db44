import type { Page } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, memberOf } from '../../core/json.ts'
import { type CrmRecord, RESOURCES, type RecordResource } from '../../core/resources/registry.ts'

interface Asked {
  readonly atMs: number
  readonly resource: RecordResource
  readonly id: string
}

/**
 * The values at a time of the members that were changed since, null for none, from the history of the record, the newest change
 * first. CrmError `not_supported` if the history does not reach that time, `not_found` if the record did not exist.
 */
export async function valuesAt(pages: AsyncIterable<Page>, asked: Asked): Promise<JsonObject> {
  const { atMs, resource, id } = asked
  const values: JsonObject = {}
  let first: CrmRecord | undefined
  for await (const { items } of pages) {
    for (const change of items) {
      if (Date.parse(String(change.at)) <= atMs) return values
      first = change
      if (change.action === 'created') {
        const when = `${resource} ${id} did not exist then: it was created at ${String(change.at)}`
        throw new CrmError('not_found', when, {
          hint: `name a later time; crm ${RESOURCES[resource].plural} history ${id}`,
        })
      }
      takeBack(values, change, asked)
    }
  }
  const previous = first?.previous_at
  // Without a change before it the record is as the server had it when its history began.
  if (first !== undefined && typeof previous === 'string' && Date.parse(previous) <= atMs) return values
  throw unreached(asked, first)
}

function takeBack(values: JsonObject, change: CrmRecord, asked: Asked): void {
  const { fields, old } = change
  if (!Array.isArray(fields) || !isJsonObject(old)) throw unreached(asked, change)
  for (const name of fields) if (typeof name === 'string') values[name] = memberOf(old, name)
}

function unreached({ resource, id, atMs }: Asked, first: CrmRecord | undefined): CrmError {
  const kept = first ? `the oldest change that it keeps is of ${String(first.at)}` : 'it keeps no change of it'
  return new CrmError(
    'not_supported',
    `the history of the server does not reach ${new Date(atMs).toISOString()} for ${resource} ${id}: ${kept}`,
    { hint: `crm ${RESOURCES[resource].plural} history ${id} shows what it keeps` },
  )
}
