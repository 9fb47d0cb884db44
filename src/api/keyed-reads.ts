import { keyValue } from '../connector/field-values.ts'
import type { JsonValue } from '../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { CollectionParts } from './collection.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import { linkedRecords } from './links/linked-records.ts'
import type { ListQuery } from './operations.ts'
import { DeclaredWalk } from './pages/declared-walk.ts'
import { walkPages } from './pages/pages.ts'

/** Reads the records that have some values in one field, many values in one request. */
export interface KeyReader {
  /** The number of values in one request. */
  readonly size: number
  /** At most `size` values; what they lack is not there. */
  read(values: readonly JsonValue[], terms: KeyReadTerms): Promise<readonly CrmRecord[]>
}

export interface KeyReadTerms {
  readonly signal: AbortSignal
  /** The part of the rate limit that may be used. */
  readonly rateShare: number
}

/** Undefined if the connector cannot ask for records by this field. */
export function createKeyReader(parts: CollectionParts, resource: Resource, field: string): KeyReader | undefined {
  const { http, connector, references } = parts
  const described = connector.document.resources[resource]
  if (!described) return undefined
  const rules = connector.rules(resource)
  const keyed = rules.keyed(field)
  if (!keyed) return undefined
  const exchange = createExchange(parts, { resource, parent: undefined })
  const { plural } = RESOURCES[resource]
  const texts = { action: `find ${plural} by ${field}`, command: `crm ${plural} list`, findCommand: undefined }
  return {
    size: keyed.size,
    read: async (values, { signal, rateShare }) => {
      await references.load(rules.refs)
      const asked = keyed.parts([...new Set(values.map((value) => keyValue(field, value, described)))])
      const query: ListQuery = { limit: undefined, cursor: undefined, filters: {}, signal }
      const list = {
        mismatchHint: connector.mismatchHint,
        paging: keyed.paging,
        call: (...page: [Parameters<typeof keyed.pageRequest>[0], number | undefined]) =>
          exchange.call(keyed.pageRequest(...page, asked), { ...texts, rateShare }),
        read: (answer: Parameters<typeof keyed.readPage>[0]) => keyed.readPage(answer, asked, references),
      }
      const records: CrmRecord[] = []
      for await (const { items } of walkPages(new DeclaredWalk(http, list, query), undefined)) records.push(...items)
      return (await linkedRecords({ connector, http }, resource)?.withLinks(records)) ?? records
    },
  }
}
