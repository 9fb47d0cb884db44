import { shellWord } from './shell-words.ts'

/** The connector of `crm serve`, for servers that name no other. */
export const DEFAULT_CONNECTOR = 'crm'

/** What holds unless a connector says otherwise. */
export const WIRE_DEFAULTS = {
  idempotencyHeader: 'Idempotency-Key',
  idempotencyWindowMs: 1_800_000,
  isWindowOfAccount: false,
  requestLifeMs: 120_000,
} as const

/** What requests to a server keep to, as its connector says. */
export interface Wire {
  readonly idempotencyHeader: string
  /** Whether the server keeps idempotency keys; undefined until the server shows it. */
  readonly idempotency?: 'none' | 'kept' | undefined
  /** How long the server keeps an idempotency key, and so how long a repeated write cannot take effect twice. */
  readonly idempotencyWindowMs: number
  /** Whether another API key of the account finds the same idempotency keys. */
  readonly isWindowOfAccount: boolean
  /** The longest time after which a sent request can still take effect. */
  readonly requestLifeMs: number
  /** The member in which records of fixtures state their run, where the server keeps no states of runs; undefined: none. */
  readonly runMarker?: string | undefined
  /** For hints: the profile in use; undefined without one. */
  readonly profile?: string | undefined
}

/** For hints: the command that changes a setting of the profile in use. `setting` is its name and the value, quoted for a shell. */
export function settingCommand(setting: string, { profile }: { readonly profile?: string | undefined }): string {
  return `crm config set ${setting} -p ${profile === undefined ? 'NAME' : shellWord(profile)}`
}
