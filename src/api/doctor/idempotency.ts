import { durationText } from '../../core/duration.ts'
import type { Wire } from '../../core/wire.ts'
import { oneLine } from '../errors/one-line.ts'
import { showingHeader } from '../writes/key-keeping.ts'
import type { Finding, Proposal } from './finding.ts'
import { OPENAPI_PATHS, type OpenApi, type Parameter } from './openapi.ts'
import type { Sample } from './probe.ts'

const check = 'idempotency'

/** Whether the server keeps idempotency keys, and what that means for a create in doubt. Only a write could test it. */
export function idempotencyFinding(openapi: OpenApi | undefined, { wire, samples }: Told): Finding {
  const told = openapi?.create.find(({ name, in: place }) => place === 'header' && /idempoten/i.test(name))
  const keeping = keepingOf({ openapi, told }, { wire, samples })
  const sent = wire.idempotencyHeader
  if (!openapi || !told) {
    const why = openapi ? `${openapi.path} names no header for it` : 'no OpenAPI document tells, and crm does not write'
    const known = keeping.is === 'unknown' ? `not known: ${why}; ${sent} is sent` : `${sent} is sent`
    return {
      check,
      state: keeping.is === 'unknown' ? 'unknown' : 'ok',
      seen: `${known}; ${keeping.text}`,
      found: { header: null, window: null, kept: keeping.is },
    }
  }
  const windowMs = windowIn(told.description)
  const window = windowMs === undefined ? null : durationText(windowMs)
  const found = { header: told.name, window, kept: keeping.is }
  const kept = window === null ? 'for how long it is kept is not told' : `kept for ${window}`
  const seen = `${told.name}, by ${openapi.path}; ${kept}${quoted(told.description)}; ${keeping.text}`
  const proposals = proposalsFor(told.name, windowMs, wire)
  const isOtherHeader = told.name.toLowerCase() !== sent.toLowerCase()
  const isShorter = windowMs !== undefined && windowMs < wire.idempotencyWindowMs
  if (!isOtherHeader && !isShorter) return { check, state: 'ok', seen, found, proposals }
  const hint = isOtherHeader ? `crm sends ${sent}` : `crm relies on ${durationText(wire.idempotencyWindowMs)}`
  return { check, state: 'warn', seen, found, proposals, hint: `${hint}: crm doctor --fix` }
}

interface Told {
  readonly wire: Wire
  readonly samples: readonly Pick<Sample, 'headers'>[]
}

interface Keeping {
  readonly is: 'kept' | 'none' | 'unknown'
  readonly text: string
}

const AGAIN = 'a create that may have happened is sent again under its key'
const LOOKED_UP = 'a create that may have happened is looked up, and in doubt (exit 3) where that does not tell'

/** By the rules of KeyKeeping, without a write. */
function keepingOf(
  { openapi, told }: { readonly openapi: OpenApi | undefined; readonly told: Parameter | undefined },
  { wire, samples }: Told,
): Keeping {
  if (wire.idempotency === 'none') return { is: 'none', text: `wire.idempotency is none: ${LOOKED_UP}` }
  const header = samples.map(({ headers }) => showingHeader(headers)).find((name) => name !== undefined)
  // After a failed create only the usual paths are read.
  const isRead = OPENAPI_PATHS.some((path) => openapi?.path.endsWith(path))
  const isNamed = isRead && told?.name.toLowerCase() === wire.idempotencyHeader.toLowerCase()
  const by = wire.idempotency === 'kept' ? 'wire.idempotency' : (header ?? (isNamed ? openapi?.path : undefined))
  if (by !== undefined) return { is: 'kept', text: `keys are kept, by ${by}: ${AGAIN}` }
  const way = 'where it keeps keys: crm config set wire.idempotency kept -p PROFILE'
  return { is: 'unknown', text: `${LOOKED_UP}; ${way}` }
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
