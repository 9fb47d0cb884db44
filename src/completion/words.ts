import type { Resource } from '../core/resources/registry.ts'

/** What can be typed, as the build reads it off the command tree: short names, because every Tab parses it. */
export interface CommandWords {
  readonly about: string
  readonly flags: readonly FlagWords[]
  /** Of its arguments, in order; the last one may repeat. */
  readonly values: readonly ValueWords[]
  readonly isLastRepeated: boolean
  readonly commands: Readonly<Record<string, CommandWords>>
}

export interface FlagWords {
  /** `-o` and `--output`, or the long one alone. */
  readonly names: readonly string[]
  readonly about: string
  /** Undefined for a flag without a value. */
  readonly value?: ValueWords
}

/** The whole of it; every command takes the global flags as well. */
export interface Vocabulary {
  readonly root: CommandWords
  readonly globals: readonly FlagWords[]
}

/** What a value can be: one of a few words, or something of a kind, of a resource where it matters. */
export type ValueWords =
  | readonly string[]
  | { readonly kind: Exclude<ValueKind, ResourceKind> }
  | { readonly kind: ResourceKind; readonly of: Resource }

type ResourceKind =
  | 'id'
  /** A name of a member; several, separated by commas; one and what it is to be. */
  | 'member'
  | 'members'
  | 'assignment'
  /** One, and an expression that makes it. */
  | 'definition'
  /** A column of a file, and the member it becomes. */
  | 'mapping'

export type ValueKind =
  | ResourceKind
  | 'file'
  | 'profile'
  | 'setting'
  | 'job'
  | 'filter'
  | 'event-kinds'
  /** Nothing that is known here. */
  | 'text'
