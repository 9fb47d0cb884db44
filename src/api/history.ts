import type { ServerOffer } from '../connector/document.ts'
import { HISTORY_PATH, RESOURCES, type RecordResource, recordHistoryPath } from '../core/resources/registry.ts'
import type { Connector } from './connectors/connector.ts'
import type { Page } from './operations.ts'
import { pathPages } from './pages/pages.ts'
import { checkId } from './transport/call.ts'
import type { Http } from './transport/http.ts'

/** The filters of the history of a server. */
export type HistoryFilters = Readonly<Partial<Record<'since' | 'until' | 'made_by' | 'job' | 'resource', string>>>

export interface HistoryRequest {
  /** Undefined: of all records. */
  readonly record?: { readonly resource: RecordResource; readonly id: string }
  readonly filters?: HistoryFilters
  readonly limit?: number | undefined
}

/** Who changed what, on a server that keeps it. */
export interface HistoryApi {
  offers(): boolean
  /** Newest first. */
  list(request: HistoryRequest): AsyncIterable<Page>
}

interface Parts {
  readonly http: Http
  readonly connector: Connector
  readonly knows: (offered: ServerOffer) => boolean
}

export function createHistory({ http, connector, knows }: Parts): HistoryApi {
  return {
    offers: () => knows('history'),
    list: ({ record, filters = {}, limit }) => {
      const path = record
        ? recordHistoryPath(record.resource).replace('{id}', () =>
            encodeURIComponent(checkId(record.id, record.resource)),
          )
        : HISTORY_PATH
      const noun = record ? RESOURCES[record.resource].plural : undefined
      const call = {
        path,
        action: record ? `list the changes of ${record.resource} ${record.id}` : 'list the changes of all records',
        command: noun === undefined ? 'crm history' : `crm ${noun} history`,
        findCommand: noun && `crm ${noun} list`,
      } as const
      return pathPages(http, connector, { ...call, query: { limit, cursor: undefined, filters } })
    },
  }
}
