import { type Command, InvalidArgumentError, Option } from 'commander'
import { RATE_SHARE } from '../../core/rate-share.ts'
import type { RunTerms } from '../../jobs/send/services.ts'
import { parseCount, parsePositiveTime } from '../flags.ts'

const MAX_OUTAGE_MS = 600_000

/** The flags of every command that sends a job. */
export interface RunFlags {
  readonly concurrency?: number
  readonly rateShare?: number
  readonly maxErrors?: RunTerms['maxErrors']
  readonly maxOutage?: number
  /** False: `--no-recheck`. */
  readonly recheck?: boolean
}

/** For commands that may send an upsert. */
export function addRecheckFlag(command: object): void {
  ;(command as Command).addOption(
    new Option('--no-recheck', 'do not read all records again after --match, to find duplicates'),
  )
}

export function addRunFlags(command: object): void {
  const options = [
    new Option('--concurrency <n>', 'send n requests at a time instead of adapting').argParser(parseCount),
    // No default of commander's: it would hide whether the flag was given.
    new Option('--rate-share <part>', 'of the rate that the server allows (default: 80%)').argParser(parsePart),
    new Option('--max-errors <n>', 'stop after n failed rows, or N% of them').argParser(parseRowsOrPart),
    new Option('--max-outage <time>', 'stop if no request succeeds for this long (default: 10m)').argParser(
      parsePositiveTime,
    ),
  ]
  for (const option of options) (command as Command).addOption(option)
}

export function runTerms(flags: RunFlags): RunTerms {
  return {
    concurrency: flags.concurrency,
    rateShare: flags.rateShare ?? RATE_SHARE,
    maxErrors: flags.maxErrors,
    maxOutageMs: flags.maxOutage ?? MAX_OUTAGE_MS,
    isRecheckLeftOut: flags.recheck === false,
  }
}

function parsePart(text: string): number {
  const part = percentOf(text)
  if (part === undefined || part === 0) throw new InvalidArgumentError('Expected a part such as 80%.')
  return part
}

export function parseRowsOrPart(text: string): NonNullable<RunTerms['maxErrors']> {
  const part = percentOf(text)
  if (part !== undefined) return { part }
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('Expected a number of rows, or a part of them such as 5%.')
  return { rows: Number(text) }
}

function percentOf(text: string): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text)?.[1]
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent) / 100
}
