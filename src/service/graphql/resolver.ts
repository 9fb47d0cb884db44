import type { TargetRule } from '../delivery/target-rules.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** What the fields of one request share. A type, because graphql-http's context has an index signature. */
export type QueryContext = {
  readonly reader: Reader
  readonly writer: Writer
  /** Where events may be delivered. */
  readonly isTarget: TargetRule
  /** Set by a field that answers with a text to be written as it is. */
  hasExactText: boolean
}

/** Arguments were coerced by the schema, which each resolver trusts for their types. */
// biome-ignore lint/suspicious/noExplicitAny: the executor hands out what the schema in text says, which types cannot follow
export type Resolver = (source: any, args: any, context: QueryContext) => unknown
