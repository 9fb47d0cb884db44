import type { ResourceDefinition, ServiceOperation } from './field.ts'
import { RECORD_RESOURCES, RESOURCES, type RecordResource, type Resource } from './registry.ts'

/** Names of what a server has beyond the contract, as its OpenAPI document describes it. Profiles keep them as `operations`. */
export const LISTS_HISTORY = 'history.list'
export const SHOWS_KEY = 'key.show'
/** The states of runs of fixtures, and their locks. */
export const KEEPS_FIXTURES = 'fixtures.kept'
/** Stands for the header of the job that sends a change. */
export const NAMES_JOBS = 'jobs.named'

export function operationName(resource: Resource, operation: ServiceOperation): string {
  return `${RESOURCES[resource].plural}.${operation}`
}

export function historyName(resource: RecordResource): string {
  return `${RESOURCES[resource].plural}.history`
}

/** The names of what a connector offers. */
export function offeredNames(offers: readonly ('history' | 'key' | 'fixtures' | 'jobs')[]): readonly string[] {
  const names = {
    history: [...RECORD_RESOURCES.map(historyName), LISTS_HISTORY],
    key: [SHOWS_KEY],
    fixtures: [KEEPS_FIXTURES],
    jobs: [NAMES_JOBS],
  }
  return offers.flatMap((each) => names[each])
}

/** What the document of `crm serve` describes, in the same order. */
export function serviceNames(): readonly string[] {
  const ofRecords = Object.entries<ResourceDefinition>(RESOURCES).flatMap(([name, { serviceOperations = [] }]) =>
    serviceOperations.map((operation) => operationName(name as Resource, operation)),
  )
  return [...ofRecords, ...RECORD_RESOURCES.map(historyName), LISTS_HISTORY, SHOWS_KEY, KEEPS_FIXTURES, NAMES_JOBS]
}
