const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A hundred years: what is longer is a slip, and leads to times that RFC 3339 has no digits for. */
export const MAX_DURATION_MS = 36_500 * 86_400_000

/** The shortest text that parseDurationMs reads as the same: `30m`. */
export function durationText(timeMs: number): string {
  const units = Object.entries(UNIT_MS).toReversed()
  const [unit, unitMs] = units.find(([, ms]) => timeMs % ms === 0) ?? ['ms', 1]
  return `${timeMs / unitMs}${unit}`
}

/** As parseDurationMs, but a number needs its unit: for times that decide what is deleted, and beside numbers that are no times. */
export function parseDurationWithUnitMs(text: string): number | undefined {
  return /[a-z]\s*$/.test(text) ? parseDurationMs(text) : undefined
}

/** `500ms`, `30s`, `5m`, `2h`, `7d`, or plain seconds (`30`), in milliseconds; undefined when it is none of them. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (!match?.[1]) return undefined
  return Math.round(Number(match[1]) * (UNIT_MS[match[2] ?? 's'] ?? Number.NaN))
}
