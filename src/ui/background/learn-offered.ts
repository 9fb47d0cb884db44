import type { Api } from '../../api/api.ts'
import type { Connector } from '../../api/connectors/connector.ts'
import type { OperationName } from '../../api/connectors/resource-rules.ts'
import { CrmError } from '../../core/errors.ts'
import { type Resource, resourceOf } from '../../core/resources/registry.ts'
import { offeredColumns } from '../screens/all-screens.tsx'
import { type Offered, type OfferedFields, type ServerList, serverLists } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'

/** Learns from the connector what the server offers. Where it cannot be opened, that stays what every server offers. */
export async function learnOffered(store: StateStore<State>, openApi: () => Promise<Api>): Promise<void> {
  try {
    const offered = offeredByConnector((await openApi()).connector)
    store.update((state) => serverLists().reduce(withOwnColumn, { ...state, offered }))
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
  }
}

function withOwnColumn(state: State, name: ServerList): State {
  const columns = offeredColumns(state, name).map((column) => column.name)
  return withList(state, name, (list) =>
    columns.includes(list.column) ? list : { ...list, column: columns[0] ?? 'id' },
  )
}

function offeredByConnector(connector: Connector): Offered {
  const lacks = serverLists().flatMap((name) => [
    ...OPERATIONS.map((operation) => [`${operation} ${name}`, lackOf(connector, resourceOf(name), operation)]),
    [`create notes on ${name}`, lackOf(connector, 'note', 'create', resourceOf(name))],
  ])
  const hasStage = connector.document.resources.deal?.fields.stage !== undefined
  const stage = hasStage ? undefined : `${byConnector(connector)} has no stages of deals`
  const fields = serverLists().map((name) => [name, fieldsOf(connector, name)])
  return { lacks: Object.fromEntries([...lacks, ['stage', stage]]), fields: Object.fromEntries(fields) }
}

const OPERATIONS = ['list', 'create', 'update', 'delete'] as const

function byConnector({ name }: Connector): string {
  return `${name} (connector)`
}

const LACKS: readonly string[] = ['not_supported', 'usage']

/** What the command for it says. */
function lackOf(connector: Connector, resource: Resource, operation: OperationName, on?: Resource): string | undefined {
  try {
    connector.rules(resource, on).operation(operation)
    return undefined
  } catch (error) {
    // `usage`: it has notes, but not on these records.
    if (!(error instanceof CrmError) || !LACKS.includes(error.code)) throw error
    return error.message
  }
}

const SET_BY_SERVER = ['id', 'created_at', 'updated_at', 'version']

/** Undefined for a list that the server does not have. */
function fieldsOf(connector: Connector, name: ServerList): OfferedFields | undefined {
  const resource = resourceOf(name)
  const described = connector.document.resources[resource]
  if (!described) return undefined
  const { fields, filters, created_at, updated_at, version } = described
  const { map } = connector.rules(resource)
  const present = [true, created_at !== undefined, updated_at !== undefined, version !== undefined]
  return {
    by: byConnector(connector),
    names: [...Object.keys(fields), ...SET_BY_SERVER.filter((_, at) => present[at])],
    isWritable: (member, on) => !map.isReadOnly(member) && (on === 'create' || fields[member]?.when !== 'create'),
    filters: Object.keys(filters),
  }
}
