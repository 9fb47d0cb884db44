import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { absentMembers, otherValues } from '../../core/other-values.ts'
import { type CrmRecord, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'

/** A write that is done, and the sent values that its answer does not show. */
export interface Unshown {
  readonly resource: ListedResource
  readonly id: string | undefined
  readonly sent: JsonObject
}

/** `isRead`: the record was read again, so that it is known. */
export interface Lacking {
  readonly names: readonly string[]
  readonly isRead: boolean
}

const NONE: Lacking = { names: [], isRead: true }

/**
 * The values that the server did not keep: many leave members out of an answer, so the record is read again where the server
 * has a request for it. Elsewhere, only a field that a connector maps is known to belong into the answer.
 */
export async function lackingValues(api: Api, { resource, id, sent }: Unshown): Promise<Lacking> {
  const { map } = api.connector.rules(resource)
  const asked = Object.fromEntries(Object.entries(sent).filter(([name]) => map.showsSent(name)))
  if (Object.keys(asked).length === 0) return NONE
  const record = id === undefined ? undefined : await readAgain(api, { resource, id, sent: asked })
  if (record) return { names: lackingIn(record, asked, api, resource), isRead: true }
  const mapped = Object.keys(asked).filter((name) => map.names.includes(name))
  return { names: mapped, isRead: false }
}

function lackingIn(record: CrmRecord, asked: JsonObject, api: Api, resource: ListedResource): readonly string[] {
  const { references, connector } = api
  const shown = connector.rules(resource).map.shown(asked, { references, record })
  return [...absentMembers(record, asked), ...otherValues(record, shown).map(({ member }) => member)]
}

/** Undefined where the server has no such request, or does not answer it: the write itself is done. */
async function readAgain(
  api: Api,
  { resource, id, sent }: Unshown & { readonly id: string },
): Promise<CrmRecord | undefined> {
  if (!api.connector.offers(resource, 'get')) return undefined
  api.connector.rules(resource).selection.ask(Object.keys(sent))
  try {
    return await api[RESOURCES[resource].plural].get(id)
  } catch (error) {
    if (error instanceof CrmError && error.code !== 'interrupted') return undefined
    throw error
  }
}
