import type { ListedResource, PlainResource } from '../../core/resources/registry.ts'

/** A verb of a noun whose records are listed: what differs from noun to noun. */
export interface RecordCommand<R extends ListedResource = ListedResource> {
  readonly resource: R
  /** Command lines, for help. */
  readonly examples: readonly string[]
}

export type PlainCommand = RecordCommand<PlainResource>
