import type { ConnectorDocument } from '../connector/document.ts'
import { SENDING_DEFAULTS } from '../connector/sending-defaults.ts'
import { shellWord } from '../core/shell-words.ts'

/** What requests to a server keep to, as its connector says. */
export interface ServerTerms {
  readonly idempotencyHeader: string
  /** Whether the server keeps idempotency keys; undefined until the server shows it. */
  readonly idempotency?: 'none' | 'kept' | undefined
  /** How long the server keeps an idempotency key, and so how long a repeated write cannot take effect twice. */
  readonly windowMs: number
  /** Whether another API key of the account finds the same idempotency keys. */
  readonly isScopedByAccount: boolean
  /** The longest time after which a sent request can still take effect. */
  readonly lifeMs: number
  /** The member in which records of fixtures state their run, where the server keeps no states of runs; undefined: none. */
  readonly runMarker?: string | undefined
  /** For hints: the profile in use; undefined without one. */
  readonly profile?: string | undefined
}

type SaidOfServer = Partial<Pick<ConnectorDocument, 'drafted' | 'idempotency' | 'requestLifeMs' | 'run_marker'>>

/** A drafted connector is not believed to keep keys. */
export function serverTerms(
  { drafted, idempotency, requestLifeMs, run_marker: runMarker }: SaidOfServer,
  profile?: string,
): ServerTerms {
  const keys = typeof idempotency === 'object' ? idempotency : undefined
  return {
    idempotencyHeader: keys?.header ?? SENDING_DEFAULTS.idempotencyHeader,
    idempotency: keys ? ((keys.kept ?? drafted) ? undefined : 'kept') : 'none',
    windowMs: keys?.windowMs ?? SENDING_DEFAULTS.windowMs,
    isScopedByAccount: keys?.scope === 'account',
    lifeMs: requestLifeMs ?? SENDING_DEFAULTS.lifeMs,
    runMarker,
    profile,
  }
}

/** For hints: the command that changes a setting of the profile in use. `setting` is its name and the value, quoted for a shell. */
export function settingCommand(setting: string, { profile }: Pick<ServerTerms, 'profile'>): string {
  return `crm config set ${setting} -p ${profile === undefined ? 'NAME' : shellWord(profile)}`
}
