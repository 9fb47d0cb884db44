import type { TargetRule } from '../delivery/target-rules.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** The context shared by the fields of one request. A type alias, as graphql-http's context has an index signature. */
export type QueryContext = {
  readonly reader: Reader
  readonly writer: Writer
  /** The addresses to which events may be delivered. */
  readonly isTarget: TargetRule
  /** Set by a field that returns text to be inserted unchanged. */
  hasExactText: boolean
}

/** The schema has coerced the arguments, so resolvers rely on their types. */
// biome-ignore lint/suspicious/noExplicitAny: the executor's types come from the schema text, which TypeScript cannot derive
export type Resolver = (source: any, args: any, context: QueryContext) => unknown
