import { filterFields, OPEN_RESOURCES, type StoredResource } from '../../core/resources/registry.ts'

/** The columns of each table besides id, version and text. */
export const OWN_COLUMNS: Readonly<Partial<Record<StoredResource, readonly string[]>>> = {
  ...Object.fromEntries(OPEN_RESOURCES.map((resource) => [resource, filterFields(resource)])),
  deal: ['name', 'stage', 'owner_id', 'pipeline_id', 'amount'],
  note: ['deal_id'],
  webhook: ['url', 'events', 'secret'],
}
