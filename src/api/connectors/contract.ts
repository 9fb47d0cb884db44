import type { ResourceDefinition, ServiceOperation } from '../../core/resources/field.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Operation } from './document.ts'

export const CONTRACT_METHODS = {
  list: 'GET',
  get: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  test: 'POST',
} as const satisfies Readonly<Record<ServiceOperation, Operation['method']>>

/** The path of an operation, with `{parent}` and `{id}`. */
export function contractPath(resource: Resource, operation: ServiceOperation): string {
  const { path, recordPath }: ResourceDefinition = RESOURCES[resource]
  const collection = path.replace('{id}', '{parent}')
  if (operation === 'list' || operation === 'create') return collection
  const record = recordPath ?? `${collection}/{id}`
  return operation === 'test' ? `${record}/test` : record
}
