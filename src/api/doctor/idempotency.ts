import { durationText } from '../../core/duration.ts'
import type { Wire } from '../../core/wire.ts'
import { oneLine } from '../one-line.ts'
import type { Finding, Proposal } from './finding.ts'
import type { OpenApi } from './openapi.ts'

const check = 'idempotency'

/** From the document alone: the only way to try it out would be a write. */
export function idempotencyFinding(openapi: OpenApi | undefined, wire: Wire): Finding {
  const told = openapi?.create.find(({ name, in: place }) => place === 'header' && /idempoten/i.test(name))
  const sent = wire.idempotencyHeader
  if (!openapi || !told) {
    const why = openapi ? `${openapi.path} names no header for it` : 'no OpenAPI document tells, and crm does not write'
    return {
      check,
      state: 'unknown',
      seen: `not known: ${why}; ${sent} is sent`,
      found: { header: null, window: null },
    }
  }
  const windowMs = windowIn(told.description)
  const window = windowMs === undefined ? null : durationText(windowMs)
  const found = { header: told.name, window }
  const kept = window === null ? 'for how long it is kept is not told' : `kept for ${window}`
  const seen = `${told.name}, by ${openapi.path}; ${kept}${quoted(told.description)}`
  const proposals = proposalsFor(told.name, windowMs, wire)
  const isOtherHeader = told.name.toLowerCase() !== sent.toLowerCase()
  const isShorter = windowMs !== undefined && windowMs < wire.idempotencyWindowMs
  if (!isOtherHeader && !isShorter) return { check, state: 'ok', seen, found, proposals }
  const hint = isOtherHeader ? `crm sends ${sent}` : `crm relies on ${durationText(wire.idempotencyWindowMs)}`
  return { check, state: 'warn', seen, found, proposals, hint: `${hint}: crm doctor --fix` }
}

function proposalsFor(header: string, windowMs: number | undefined, wire: Wire): readonly Proposal[] {
  const proposals: Proposal[] = []
  if (header.toLowerCase() !== wire.idempotencyHeader.toLowerCase()) {
    proposals.push({ setting: 'wire.idempotency_header', value: header })
  }
  // A window that no request fits into is refused as a setting.
  if (windowMs !== undefined && windowMs > wire.requestLifeMs && windowMs !== wire.idempotencyWindowMs) {
    proposals.push({ setting: 'wire.idempotency_window', value: durationText(windowMs) })
  }
  return proposals
}

const UNITS: readonly (readonly [name: RegExp, unitMs: number])[] = [
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000],
]

/** The only length of time in the description; of two it is not known which is meant. */
function windowIn(description: string): number | undefined {
  const times = [...description.matchAll(/\b(\d{1,4})[\s-]*(minutes?|mins?|hours?|hrs?|h|days?|d)\b/gi)]
  const [only, ...others] = times
  if (!only || others.length > 0) return undefined
  const [, unitMs] = UNITS.find(([name]) => name.test(only[2] ?? '')) ?? []
  const timeMs = Number(only[1]) * (unitMs ?? 0)
  return timeMs > 0 ? timeMs : undefined
}

function quoted(description: string): string {
  return description === '' ? '' : ` (${JSON.stringify(oneLine(description, 120))})`
}
