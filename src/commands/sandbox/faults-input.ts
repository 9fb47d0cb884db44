import { InvalidArgumentError } from 'commander'

/** `500=2%,reset=1%`: percent by what happens. */
export function parseFaults(text: string): Record<string, number> {
  const shares: Record<string, number> = {}
  for (const part of text.split(',')) {
    const { kind, percent } = /^\s*(?<kind>[\w-]+)=(?<percent>\d+(?:\.\d+)?)%\s*$/.exec(part)?.groups ?? {}
    if (kind === undefined || percent === undefined) {
      throw new InvalidArgumentError('Expected what happens to how many requests, such as 500=2%,reset=1%.')
    }
    shares[kind] = (shares[kind] ?? 0) + Number(percent)
  }
  return shares
}

/** An RFC 3339 time, or a day. */
export function parseClock(text: string): number {
  const timeMs = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(timeMs)) throw new InvalidArgumentError('Expected a time such as 2026-01-01T00:00:00Z.')
  return timeMs
}
