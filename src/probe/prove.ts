import { createApi } from '../api/client.ts'
import { createConnector } from '../api/connectors/connector.ts'
import { oneLine } from '../api/errors/one-line.ts'
import type { Operations, Page } from '../api/operations.ts'
import { loadConnector } from '../connector/load-connector.ts'
import { CrmError } from '../core/errors.ts'
import { listedId } from '../core/record-ids.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { optionsOf, type ProbeServer } from './probing-http.ts'
import { isEnough } from './read-list.ts'

/** A list as the connector reads it. */
export interface Declared {
  readonly ids: readonly string[]
  readonly isCut: boolean
}

/** Reads the list by the connector, up to the bounds of the probe; a clause with the reason why it cannot. */
export async function readByConnector(
  server: ProbeServer,
  text: string,
  resource: Resource,
): Promise<Declared | string> {
  const { baseUrl, timing } = server
  const document = loadConnector(text, { fileName: 'the draft', baseOf: () => undefined })
  const connector = createConnector(document, { baseUrl, variables: {} })
  const api = createApi({ ...optionsOf(server), connector }, timing)
  const all = api[RESOURCES[resource].plural as 'contacts'] as Operations | ((id?: string) => Operations)
  const { list } = typeof all === 'function' ? all() : all
  try {
    return await readIds(list({}))
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return error.message
  } finally {
    await api.close()
  }
}

async function readIds(list: AsyncIterable<Page>): Promise<Declared | string> {
  const ids: string[] = []
  let pages = 0
  for await (const { items } of list) {
    // Endless lists of empty pages end with an error.
    if (items.length > 0) pages += 1
    ids.push(...items.map(listedId))
    if (isEnough(pages, ids.length)) return { ids, isCut: true }
  }
  return { ids, isCut: false }
}

/** Why the two readings differ; undefined where they show the same records. Of a long list, the part that both have read. */
export function differenceOf(reference: Declared, read: Declared): string | undefined {
  const isCut = reference.isCut || read.isCut
  const count = Math.min(reference.ids.length, read.ids.length)
  if (!isCut && reference.ids.length !== read.ids.length) {
    return `${read.ids.length} records, and ${reference.ids.length} by another way`
  }
  const [wanted, found] = [reference, read].map(({ ids }) => new Set(isCut ? ids.slice(0, count) : ids))
  if (wanted?.size !== found?.size) return 'an id comes twice'
  const missing = [...(wanted ?? [])].find((id) => !found?.has(id))
  return missing === undefined ? undefined : `the record ${oneLine(missing, 60)} is missing`
}
