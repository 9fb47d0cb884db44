import { parseDurationWithUnitMs } from '../core/duration.ts'
import { CrmError } from '../core/errors.ts'

const DURATION = String.raw`^(?<n>\\d+(?:\\.\\d+)?)(?<unit>ms|s|m|h|d)$`
const TIME = String.raw`^(?<y>\\d{4})-(?<m>\\d\\d)-(?<d>\\d\\d)(?:[Tt ](?<h>\\d\\d):(?<min>\\d\\d)(?::(?<s>\\d\\d(?:\\.\\d+)?))?(?:[Zz]|(?<sign>[+-])(?<oh>\\d\\d):?(?<om>\\d\\d))?)?$`

/**
 * `age` and `older_than(time)`, for times of RFC 3339, with or without fractions, and dates (ISO 8601); UTC without an
 * offset. `fromdateiso8601` of jq accepts neither fractions nor offsets. Days are counted as in
 * https://howardhinnant.github.io/date_algorithms.html#days_from_civil
 */
const TIMES = `def age:
def fault: error("\\(tojson | .[:60]) is not a time, expected one such as 2026-01-31T09:30:00.000Z, or 2026-01-31");
def days($y; $m; $d): (if $m <= 2 then $y - 1 else $y end) as $from | ($from / 400 | floor) as $era
  | ($from - $era * 400) as $year | (((153 * (($m + 9) % 12) + 2) / 5 | floor) + $d - 1) as $day
  | $era * 146097 + $year * 365 + ($year / 4 | floor) - ($year / 100 | floor) + $day - 719468;
def last_day: if .m == 2 then (if (.y % 4 == 0 and .y % 100 != 0) or .y % 400 == 0 then 29 else 28 end)
  elif .m == 4 or .m == 6 or .m == 9 or .m == 11 then 30 else 31 end;
(if type == "string" then (capture("${TIME}") // null) else null end) as $parts
| if $parts == null then fault else . as $given | $parts
  | (.sign // "+") as $sign | del(.sign) | map_values((. // "0") | tonumber)
  | if .m < 1 or .m > 12 or .d < 1 or .d > last_day or .h > 23 or .min > 59 or .s >= 61 or .oh > 23 or .om > 59
    then $given | fault else . end
  | ((.oh * 60 + .om) * (if $sign == "-" then -60 else 60 end)) as $offset
  | NOW - (days(.y; .m; .d) * 86400 + .h * 3600 + .min * 60 + .s - $offset) end;
def older_than($time): age as $age | ($time | if type == "string" then (capture("${DURATION}") // null) else null end)
| if . == null then error("older_than(\\($time | tojson)): expected a time such as 90d, 12h, 30m, 45s or 500ms")
  else $age > (.n | tonumber) * {ms: 0.001, s: 1, m: 60, h: 3600, d: 86400}[.unit] end;
`.replaceAll('\n', ' ')

/** The definitions for a program that uses them; empty for others, because every run compiles them. */
export function timeFunctions(program: string, nowMs: number): string {
  return /\b(?:age|older_than)\b/.test(program) ? TIMES.replace('NOW', String(nowMs / 1000)) : ''
}

/** CrmError `usage` for a literal that `older_than` would reject for every record. */
export function refuseNoDuration(durations: readonly string[]): void {
  const wrong = durations.find((text) => parseDurationWithUnitMs(text) === undefined)
  if (wrong === undefined) return
  throw new CrmError('usage', `older_than(${JSON.stringify(wrong)}): this is not a duration`, {
    hint: 'expected a number and its unit, such as older_than("90d"), "12h", "30m", "45s" or "500ms"',
  })
}
