import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import { parseDurationWithUnitMs } from '../../core/duration.ts'
import type { Retention } from '../../service/store/store-options.ts'
import { parseTime } from '../flags.ts'

export interface RetentionFlags {
  readonly keepEvents?: number
  readonly keepIdempotency?: number
  readonly history?: number
}

/** Adds them to `crm serve`. */
export function addRetentionFlags(serve: CommandUnknownOpts): void {
  serve
    .option(
      '--keep-events <time>',
      'keep events after their last attempt (default: 1d after a success, 7d after a failure)',
      parseKept,
    )
    .option('--history <time>', 'keep who changed what: none, a time such as 90d, or all (default: 90d)', parseHistory)
    .option('--keep-idempotency <time>', 'keep responses for repeated idempotency keys (default: 1d)', parseKept)
}

/** Undefined members are those of the store. */
export function retentionOf({ keepEvents, keepIdempotency, history }: RetentionFlags): Partial<Retention> {
  return {
    ...(keepEvents !== undefined && { successesMs: keepEvents, failuresMs: keepEvents }),
    ...(history !== undefined && { historyMs: history }),
    ...(keepIdempotency !== undefined && { answersMs: keepIdempotency }),
  }
}

function parseHistory(text: string): number {
  if (text === 'none') return 0
  if (text === 'all') return Number.POSITIVE_INFINITY
  // A plain number would be seconds, and all older entries would be deleted.
  if (parseDurationWithUnitMs(text) === undefined)
    throw new InvalidArgumentError('Expected none, all or a time such as 90d.')
  return parseKept(text)
}

const LEAST_MS = 60_000

/** Clients repeat a request, and people look for a delivery, at least for so long. */
function parseKept(text: string): number {
  const timeMs = parseTime(text)
  if (timeMs >= LEAST_MS) return timeMs
  throw new InvalidArgumentError('Expected 1m or more.')
}
