import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'

/** In the order in which they are shown: what comes first is to blame for what comes behind it. */
export const CHECKS = [
  'key',
  'reach',
  'tls',
  'clock',
  'latency',
  'records',
  'page_size',
  'paging',
  'largest_page',
  'limits',
  'idempotency',
  'graphql',
  'openapi',
  'version',
] as const

export type CheckName = (typeof CHECKS)[number]

/** A setting that makes crm speak as the server does; an empty value unsets it. */
export interface Proposal {
  readonly setting: `wire.${'page_size' | 'limit_param' | 'cursor_param' | 'items_path' | 'next_path' | 'graphql_path' | 'idempotency_header' | 'idempotency_window'}`
  readonly value: string
}

export interface Finding {
  readonly check: CheckName
  readonly state: 'ok' | 'warn' | 'fail' | 'unknown'
  /** One line, with words of the server in it. */
  readonly seen: string
  /** The same for programs. */
  readonly found?: JsonObject
  /** The next command to type, where something is wrong. */
  readonly hint?: string
  /** What commands end with; every `fail` has one, and nothing else. */
  readonly failure?: CrmError
  readonly proposals?: readonly Proposal[]
}

const CHECK_ADDRESS_HINT = 'is the address right? CRM_BASE_URL names it, or: crm config set base_url URL -p PROFILE'
/** An diagnosis does not wait for as long as other commands do. */
const SLOW_HINT = 'it is down or slow; other commands wait for longer: crm contacts list --timeout 2m'

/** A failure as it was met; its hint leads on from here, not back to where it came from. */
export function failed(check: CheckName, error: CrmError, proposals: readonly Proposal[] = []): Finding {
  const { code, message, details } = error
  const isSilent = code === 'timeout' && details.status === undefined
  const hint = isSilent ? SLOW_HINT : details.hint === ADDRESS_HINT ? CHECK_ADDRESS_HINT : details.hint
  const failure = new CrmError(code, message, { ...details, hint })
  return { check, state: 'fail', seen: message, hint, failure, proposals }
}

export function notAsked(check: CheckName, why: string): Finding {
  return { check, state: 'unknown', seen: `not asked: ${why}` }
}
