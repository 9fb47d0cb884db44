import {
  buildSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { RESOURCES, STORED_RESOURCES, typeName } from '../../core/resources/registry.ts'
import { filterText } from '../page.ts'
import { notesPath } from '../resources/deals.ts'
import { isErased } from '../resources/history.ts'
import { timeText } from '../resources/records.ts'
import type { DeliveryEntry } from '../store/deliveries.ts'
import type { HistoryEntry } from '../store/history.ts'
import { mutationResolvers } from './mutation-resolvers.ts'
import { JsonValueText, type QueryContext, RecordSource, type Resolver } from './query-context.ts'
import {
  type ConnectionArgs,
  connectionOf,
  findPipeline,
  historyOf,
  queryResolvers,
  readConnectionArgs,
  recordConnection,
} from './query-resolvers.ts'
import { addScalars } from './scalars.ts'
import { memberName, SCHEMA_TEXT } from './types.ts'

const json: Resolver = ({ text }: RecordSource, _, context) => exactly(text, context)

function exactly(text: string | null, context: QueryContext): JsonValueText | null {
  if (text === null) return null
  context.hasExactText = true
  return new JsonValueText(text)
}

/** Resolvers besides those of a record's own members. */
const typeResolvers: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Deal: {
    pipeline: ({ members }: RecordSource, _, { reader }) => findPipeline(reader.pipelines(), members.pipeline_id),
    notes: async ({ id }: RecordSource, args: ConnectionArgs, { reader }) => {
      const list = filterText(notesPath(id), {})
      return recordConnection('note', list, await reader.notes(id, readConnectionArgs(args, list, 'note')))
    },
  },
  Note: {
    deal: ({ members }: RecordSource, _, { reader }) => reader.record('deal', `${members.deal_id}`),
  },
  Webhook: {
    deliveries: async ({ id }: RecordSource, args: ConnectionArgs, { reader }) => {
      const list = filterText(`${RESOURCES.webhook.path}/${id}/deliveries`, {})
      const page = await reader.deliveries(id, readConnectionArgs(args, list, 'event'))
      return connectionOf(
        list,
        { items: page.entries, nextOlderThanId: page.nextOlderThanId },
        ({ eventId }) => eventId,
      )
    },
  },
  Change: {
    at: ({ atMs }: HistoryEntry) => timeText(atMs),
    resource: ({ resource }: HistoryEntry) => resource.toUpperCase(),
    action: ({ action }: HistoryEntry) => action.toUpperCase(),
    previousAt: ({ previousAtMs }: HistoryEntry) => timeText(previousAtMs),
    fields: ({ fields }: HistoryEntry) => JSON.parse(fields),
    old: ({ oldValues }: HistoryEntry, _, context) => exactly(oldValues, context),
    new: ({ newValues }: HistoryEntry, _, context) => exactly(newValues, context),
    isErased,
  },
  Delivery: {
    state: ({ state }: DeliveryEntry) => state.toUpperCase(),
    nextTryAt: ({ nextTryAtMs }: DeliveryEntry) => timeText(nextTryAtMs),
    lastTryAt: ({ lastTryAtMs }: DeliveryEntry) => timeText(lastTryAtMs),
  },
}

/** The schema with its resolvers. Fields without one are members of their source. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema(SCHEMA_TEXT)
  addScalars(schema)
  for (const resource of STORED_RESOURCES) {
    const type = objectType(schema, typeName(resource))
    addMembers(type)
    addResolvers(type, { json, ...(resource !== 'webhook' && { history: historyOf(resource) }) })
  }
  addResolvers(objectType(schema, 'Query'), queryResolvers)
  addResolvers(objectType(schema, 'Mutation'), mutationResolvers)
  for (const [name, resolvers] of Object.entries(typeResolvers)) addResolvers(objectType(schema, name), resolvers)
  const node = schema.getType('Node')
  if (isInterfaceType(node)) node.resolveType = typeNameOf
  return schema
}

function typeNameOf(source: unknown): string {
  if (!(source instanceof RecordSource)) return 'Pipeline'
  return typeName(source.resource)
}

function addMembers(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const member = memberName(field.name)
    const isDecimal = getNamedType(field.type).name === 'Decimal'
    field.resolve = isDecimal ? decimal(member) : ({ members }: RecordSource) => members[member]
  }
}

/** A number as it was written, which a JavaScript number may not express. */
function decimal(member: string): Resolver {
  return (source: RecordSource, _, context) => {
    const written = source.writtenNumber(member)
    return written === undefined ? source.members[member] : exactly(written, context)
  }
}

function addResolvers(type: GraphQLObjectType, resolvers: Readonly<Record<string, Resolver>>): void {
  const fields = type.getFields()
  for (const [name, resolve] of Object.entries(resolvers)) {
    const field = fields[name]
    if (!field) throw new Error(`the schema has no ${type.name}.${name}`)
    field.resolve = resolve
  }
}

function objectType(schema: GraphQLSchema, name: string): GraphQLObjectType {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new Error(`the schema has no ${name}`)
  return type
}
