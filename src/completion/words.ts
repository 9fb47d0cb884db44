import type { Resource } from '../core/resources/registry.ts'

/** What can be typed, as extracted from the command tree by the build. Names are short, because every Tab parses them. */
export interface CommandWords {
  readonly about: string
  readonly flags: readonly FlagWords[]
  /** The values of its arguments, in order; the last one may repeat. */
  readonly values: readonly ValueWords[]
  readonly isLastRepeated: boolean
  readonly commands: Readonly<Record<string, CommandWords>>
}

export interface FlagWords {
  /** `-o` and `--output`, or the long form only. */
  readonly names: readonly string[]
  readonly about: string
  /** Undefined for a flag without a value. */
  readonly value?: ValueWords
}

/** All commands; every command also takes the global flags. */
export interface Vocabulary {
  readonly root: CommandWords
  readonly globals: readonly FlagWords[]
}

/** The possible values: a list of words, or a kind of value, for some kinds of a resource. */
export type ValueWords =
  | readonly string[]
  | { readonly type: Exclude<ValueKind, ResourceKind> }
  | { readonly type: ResourceKind; readonly of: Resource }

type ResourceKind =
  | 'id'
  /** The name of a member; several, separated by commas; a member and its new value. */
  | 'member'
  | 'members'
  | 'assignment'
  /** A member and the expression that computes it. */
  | 'definition'
  /** A column of a file and the member that it is imported as. */
  | 'mapping'

export type ValueKind =
  | ResourceKind
  | 'file'
  | 'profile'
  | 'setting'
  | 'job'
  | 'filter'
  | 'event-kinds'
  /** The id of an event of the log. */
  | 'event'
  /** No known values. */
  | 'text'
