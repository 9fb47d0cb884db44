import { PLAIN_RESOURCES, typeName } from '../../core/resources/registry.ts'
import { filterText } from '../cursor.ts'
import { notesPath } from '../note-creation.ts'
import type { DeliveryEntry } from '../store/deliveries.ts'
import { type ConnectionArgs, connectionOf, readConnectionArgs } from './connection.ts'
import { JsonValueText } from './json-value.ts'
import { findPipeline, recordConnection } from './query-resolvers.ts'
import type { RecordSource } from './record-source.ts'
import type { Resolver } from './resolver.ts'

const json: Resolver = ({ text }: RecordSource, _, context) => {
  context.hasExactText = true
  return new JsonValueText(text)
}

/** Beyond those that a record's own members answer. */
export const typeResolvers: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  ...Object.fromEntries(PLAIN_RESOURCES.map((resource) => [typeName(resource), { json }])),
  Deal: {
    json,
    amount: (source: RecordSource, _, context) => {
      const written = source.writtenNumber('amount')
      if (written === undefined) return source.members.amount
      context.hasExactText = true
      return new JsonValueText(written)
    },
    pipeline: ({ members }: RecordSource, _, { reader }) => findPipeline(reader.pipelines(), members.pipeline_id),
    notes: async ({ id }: RecordSource, args: ConnectionArgs, { reader }) => {
      const list = filterText(notesPath(id), {})
      return recordConnection('note', list, await reader.notes(id, readConnectionArgs(args, list, 'note')))
    },
  },
  Note: {
    json,
    deal: ({ members }: RecordSource, _, { reader }) => reader.record('deal', `${members.deal_id}`),
  },
  Webhook: {
    json,
    deliveries: async ({ id }: RecordSource, args: ConnectionArgs, { reader }) => {
      const list = filterText(`/v1/webhooks/${id}/deliveries`, {})
      const page = await reader.deliveries(id, readConnectionArgs(args, list, 'event'))
      return connectionOf<DeliveryEntry>({
        list,
        nodes: page.entries,
        hasNextPage: page.nextOlderThanId !== undefined,
        idOf: ({ eventId }) => eventId,
      })
    },
  },
  Delivery: {
    state: ({ state }: DeliveryEntry) => state.toUpperCase(),
    nextTryAt: ({ nextTryAtMs }: DeliveryEntry) => timeText(nextTryAtMs),
    lastTryAt: ({ lastTryAtMs }: DeliveryEntry) => timeText(lastTryAtMs),
  },
}

function timeText(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString()
}
