import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { type ServerTerms, settingCommand } from '../server-terms.ts'

/** In the order of display: a failure is often the cause of those after it. */
export const CHECKS = [
  'key',
  'reach',
  'tls',
  'clock',
  'latency',
  'records',
  'paging',
  'limits',
  'idempotency',
  'version',
] as const

export type CheckName = (typeof CHECKS)[number]

export interface Finding {
  readonly check: CheckName
  readonly state: 'ok' | 'warn' | 'fail' | 'unknown'
  /** One line; may quote the server. */
  readonly seen: string
  /** The same for programs. */
  readonly found?: JsonObject
  /** The next command to type if something is wrong. */
  readonly hint?: string
  /** The error that the command ends with; present in state `fail` alone. */
  readonly failure?: CrmError
}

/** A diagnosis waits less than other commands. */
const SLOW_HINT = 'the server is down or slow; other commands wait longer: crm contacts list --timeout 2m'

/** A failure as a finding. */
export function failed(check: CheckName, error: CrmError): Finding {
  const { code, message, details } = error
  const isTimeout = code === 'timeout' && details.status === undefined
  const hint = isTimeout ? SLOW_HINT : details.hint
  const failure = new CrmError(code, message, { ...details, hint })
  return { check, state: 'fail', seen: message, hint, failure }
}

/** The finding with another hint, if its own names crm doctor. */
export function namingAddress(finding: Finding, terms: ServerTerms): Finding {
  if (finding.hint !== ADDRESS_HINT) return finding
  const hint = `is the address right? CRM_BASE_URL names it, or: ${settingCommand('base_url URL', terms)}`
  if (!finding.failure) return { ...finding, hint }
  const { code, message, details } = finding.failure
  return { ...finding, hint, failure: new CrmError(code, message, { ...details, hint }) }
}

export function notAsked(check: CheckName, why: string): Finding {
  return { check, state: 'unknown', seen: `not checked: ${why}` }
}
