const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A hundred years: a longer one is a typing error, and leads to times that RFC 3339 cannot express. */
export const MAX_DURATION_MS = 36_500 * 86_400_000

/** The shortest text that parseDurationMs reads as the same duration: `30m`. */
export function durationText(timeMs: number): string {
  const units = Object.entries(UNIT_MS).toReversed()
  const [unit, unitMs] = units.find(([, ms]) => timeMs % ms === 0) ?? ['ms', 1]
  return `${timeMs / unitMs}${unit}`
}

/** As parseDurationMs, but a unit is required: for times that decide what is deleted, and next to numbers that are not times. */
export function parseDurationWithUnitMs(text: string): number | undefined {
  return /[a-z]\s*$/.test(text) ? parseDurationMs(text) : undefined
}

/** `500ms`, `30s`, `5m`, `2h`, `7d`, or plain seconds (`30`), in milliseconds; undefined otherwise. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (!match?.[1]) return undefined
  return Math.round(Number(match[1]) * (UNIT_MS[match[2] ?? 's'] ?? Number.NaN))
}
