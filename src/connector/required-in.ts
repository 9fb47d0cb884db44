import { type Resource, requiredFields } from '../core/resources/registry.ts'
import type { ConnectorDocument } from './document.ts'

/** The fields of the contract that a new record must have, of those that the connector maps; all where it maps none. */
export function requiredIn({ resources }: Pick<ConnectorDocument, 'resources'>, resource: Resource): readonly string[] {
  const fields = resources[resource]?.fields
  if (!fields) return []
  const isMapped = Object.keys(fields).length > 0
  return requiredFields(resource).filter((name) => !isMapped || Object.hasOwn(fields, name))
}
