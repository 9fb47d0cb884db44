import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** Requested in parallel. */
const AT_ONCE = 20

/**
 * Keeps the deals that have no note: one request for each deal, or one list of all notes where the server has that. CrmError
 * `not_supported` if it lists no notes.
 */
export function keepWithoutNotes(api: Api): (deals: readonly CrmRecord[]) => Promise<readonly CrmRecord[]> {
  if (api.connector.hasOneList('note')) {
    let withNotes: Promise<ReadonlySet<string>> | undefined
    return async (deals) => {
      withNotes ??= dealsOfNotes(api)
      const noted = await withNotes
      return deals.filter(({ id }) => !noted.has(idText(id) ?? ''))
    }
  }
  return async (deals) => {
    const kept: CrmRecord[] = []
    for (let at = 0; at < deals.length; at += AT_ONCE) {
      const asked = deals.slice(at, at + AT_ONCE)
      const noted = await Promise.all(asked.map(({ id }) => hasNote(api, idText(id) ?? '')))
      kept.push(...asked.filter((_, index) => !noted[index]))
    }
    return kept
  }
}

async function dealsOfNotes(api: Api): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for await (const { items } of api.notes().list()) for (const { deal_id: id } of items) ids.add(idText(id) ?? '')
  return ids
}

async function hasNote(api: Api, dealId: string): Promise<boolean> {
  try {
    for await (const { items } of api.notes(dealId).list({ limit: 1 })) if (items.length > 0) return true
    return false
  } catch (cause) {
    if (!(cause instanceof CrmError) || cause.code !== 'not_supported') throw cause
    const message = `this server lists no notes, so that it is not known which deals have none: ${cause.message}`
    throw new CrmError('not_supported', message, { ...cause.details, cause })
  }
}
