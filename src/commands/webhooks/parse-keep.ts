import { InvalidArgumentError } from 'commander'
import { parseDurationWithUnitMs } from '../../core/duration.ts'

/** What stays of the event log; undefined sets no bound. */
export interface KeepRule {
  readonly maxAgeMs: number | undefined
  readonly maxBytes: number | undefined
}

const UNIT_BYTES: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** `all`, a time, a size, or both with a comma: `30d,1GB`. */
export function parseKeep(text: string): KeepRule {
  let rule: KeepRule = { maxAgeMs: undefined, maxBytes: undefined }
  if (text === 'all') return rule
  for (const part of text.split(',')) {
    const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(KB|MB|GB|TB)$/i.exec(part.trim()) ?? []
    const maxBytes = Number(amount) * (UNIT_BYTES[unit.toUpperCase()] ?? 0)
    const maxAgeMs = maxBytes > 0 ? undefined : parseDurationWithUnitMs(part)
    if (!maxBytes && !maxAgeMs)
      throw new InvalidArgumentError('Expected a time such as 30d, a size such as 500MB, or all.')
    rule = maxBytes > 0 ? { ...rule, maxBytes } : { ...rule, maxAgeMs }
  }
  return rule
}
