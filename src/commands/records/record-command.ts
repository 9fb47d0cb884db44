import type { ListedResource, PlainResource } from '../../core/resources/registry.ts'

/** The parts of a command that depend on the resource. */
export interface RecordCommand<R extends ListedResource = ListedResource> {
  readonly resource: R
  /** Command lines, for help. */
  readonly examples: readonly string[]
}

export type PlainCommand = RecordCommand<PlainResource>
