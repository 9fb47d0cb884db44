import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { Retention } from '../../service/store/store-options.ts'
import { parseTime } from '../flags.ts'

export interface RetentionFlags {
  readonly keepEvents?: number
  readonly keepIdempotency?: number
}

/** Adds them to `crm serve`. */
export function addRetentionFlags(serve: CommandUnknownOpts): void {
  serve
    .option(
      '--keep-events <time>',
      'keep events after their last attempt (default: 1d after a success, 7d after a failure)',
      parseKept,
    )
    .option('--keep-idempotency <time>', 'keep responses for repeated idempotency keys (default: 1d)', parseKept)
}

/** Undefined members are those of the store. */
export function retentionOf({ keepEvents, keepIdempotency }: RetentionFlags): Partial<Retention> {
  return {
    ...(keepEvents !== undefined && { successesMs: keepEvents, failuresMs: keepEvents }),
    ...(keepIdempotency !== undefined && { answersMs: keepIdempotency }),
  }
}

const LEAST_MS = 60_000

/** Clients repeat a request, and people look for a delivery, at least for so long. */
function parseKept(text: string): number {
  const timeMs = parseTime(text)
  if (timeMs >= LEAST_MS) return timeMs
  throw new InvalidArgumentError('Expected 1m or more.')
}
