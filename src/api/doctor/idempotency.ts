import { durationText } from '../../core/duration.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { oneLine } from '../errors/one-line.ts'
import { OPENAPI_PATHS, type Parameter } from '../openapi-document.ts'
import type { Finding, Proposal } from './finding.ts'
import type { OpenApi } from './openapi.ts'
import type { ProbeAnswer } from './probe.ts'

const check = 'idempotency'

/** Headers that only a server with idempotency keys sends. */
const KEY_HEADERS = ['idempotent-replayed', 'idempotency-replayed', 'idempotency-policy']

/** Whether the server keeps idempotency keys, and the consequence for a create in doubt. Only a write could test it. */
export function idempotencyFinding(openapi: OpenApi | undefined, { wire, samples }: ServerTerms): Finding {
  const documented = openapi?.create.find(({ name, in: place }) => place === 'header' && /idempoten/i.test(name))
  const keeping = keyKeepingOf({ openapi, documented }, { wire, samples })
  const sent = wire.idempotencyHeader
  if (!openapi || !documented) {
    const why = openapi
      ? `${openapi.path} names no header for it`
      : 'there is no OpenAPI document, and crm doctor does not write'
    const known = keeping.type === 'unknown' ? `unknown: ${why}; ${sent} is sent` : `${sent} is sent`
    return {
      check,
      state: keeping.type === 'unknown' ? 'unknown' : 'ok',
      seen: `${known}; ${keeping.text}`,
      found: { header: null, window: null, kept: keeping.type },
    }
  }
  const windowMs = windowIn(documented.description)
  const window = windowMs === undefined ? null : durationText(windowMs)
  const found = { header: documented.name, window, kept: keeping.type }
  const kept = window === null ? 'retention not stated' : `kept for ${window}`
  const seen = `${documented.name}, by ${openapi.path}; ${kept}${quoted(documented.description)}; ${keeping.text}`
  const proposals = proposalsFor(documented.name, windowMs, wire)
  const isOtherHeader = documented.name.toLowerCase() !== sent.toLowerCase()
  const isShorter = windowMs !== undefined && windowMs < wire.idempotencyWindowMs
  if (!isOtherHeader && !isShorter) return { check, state: 'ok', seen, found, proposals }
  const hint = isOtherHeader ? `crm sends ${sent}` : `crm relies on ${durationText(wire.idempotencyWindowMs)}`
  return { check, state: 'warn', seen, found, proposals, hint: `${hint}: crm doctor --fix` }
}

interface ServerTerms {
  readonly wire: Wire
  readonly samples: readonly Pick<ProbeAnswer, 'headers'>[]
}

interface KeyStatus {
  readonly type: 'kept' | 'none' | 'unknown'
  readonly text: string
}

const RETRIED = 'a create in doubt is sent again with its key'
const LOOKED_UP = 'a create in doubt is looked up; if that is inconclusive, it stays in doubt (exit 3)'

/** Applies the rules of KeyKeeping without a write. */
function keyKeepingOf(
  { openapi, documented }: { readonly openapi: OpenApi | undefined; readonly documented: Parameter | undefined },
  { wire, samples }: ServerTerms,
): KeyStatus {
  if (wire.idempotency === 'none') return { type: 'none', text: `wire.idempotency is none: ${LOOKED_UP}` }
  const header = KEY_HEADERS.find((name) => samples.some(({ headers }) => headers[name] !== undefined))
  // After a failed create, only the usual paths are read.
  const isRead = OPENAPI_PATHS.some((path) => openapi?.path.endsWith(path))
  const isNamed = isRead && documented?.name.toLowerCase() === wire.idempotencyHeader.toLowerCase()
  const by = wire.idempotency === 'kept' ? 'wire.idempotency' : (header ?? (isNamed ? openapi?.path : undefined))
  if (by !== undefined) return { type: 'kept', text: `keys are kept, by ${by}: ${RETRIED}` }
  const setting = `if the server keeps keys: ${settingCommand('wire.idempotency kept', wire)}`
  return { type: 'unknown', text: `${LOOKED_UP}; ${setting}` }
}

function proposalsFor(header: string, windowMs: number | undefined, wire: Wire): readonly Proposal[] {
  const proposals: Proposal[] = []
  if (header.toLowerCase() !== wire.idempotencyHeader.toLowerCase()) {
    proposals.push({ setting: 'wire.idempotency_header', value: header })
  }
  // A window below wire.request_life is refused as a setting.
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

/** The only duration in the description; undefined if there are several. */
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
