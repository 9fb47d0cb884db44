import { CrmError } from '../core/errors.ts'
import type { JsonValue } from '../core/json.ts'
import type { JqRun } from './jq.ts'

export type ExpressionFlag = '--where' | '--jq' | '--compute'

const LANGUAGE_HINT = 'the language is jq 1.7: https://jqlang.org/manual/v1.7/'

export function compileFailure(flag: string, text: string, stderr: string): CrmError {
  const reason = stderr
    .split('\n', 1)
    .join('')
    .replace(/^jq: error: /, '')
    .replace(' (Unix shell quoting issues?)', '')
    .replace(/ at <top-level>, line \d+:$/, '')
  return new CrmError('usage', `${flag} ${JSON.stringify(text)} is not a jq expression: ${reason}`, {
    hint: LANGUAGE_HINT,
  })
}

export interface Failure {
  readonly flag: ExpressionFlag
  /** The record on which it failed; undefined for a single value. */
  readonly place: string | undefined
  readonly run: JqRun
}

export function evaluationFailure({ flag, place, run }: Failure): CrmError {
  return failure({ flag, where: place, reason: reasonOf(run) })
}

export interface RecordFailures {
  readonly count: number
  /** The first record on which it fails, and why. */
  readonly place: string
  readonly reason: string
}

export function recordFailures(flag: ExpressionFlag, { count, place, reason }: RecordFailures): CrmError {
  const where = count === 1 ? place : `${count} records, the first is ${place}`
  return failure({ flag, where, reason })
}

function failure({
  flag,
  where,
  reason,
}: Pick<Failure, 'flag'> & { where: string | undefined; reason: string }): CrmError {
  const skip = flag === '--where' ? ['--where-errors skip leaves such records out and counts them'] : []
  // A default takes the place of null alone.
  const remedies = /\bnull\b/.test(reason) ? ['// gives a default, such as (.amount // 0)', ...skip] : skip
  return new CrmError('invalid_input', `${flag} fails${where ? ` on ${where}` : ''}: ${reason}`, {
    hint: remedies.length > 0 ? remedies.join('; ') : LANGUAGE_HINT,
  })
}

/** The value that `catch` gets: jq prints a string unquoted, and any other value as JSON. */
export function caughtReason(value: JsonValue): string {
  // The whole message of jq for `input` without a next value.
  if (value === 'break') return 'input has no next value: the current value, ., is the only one'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function reasonOf({ exit, stderr }: JqRun): string {
  if (exit === undefined) return 'jq ran out of memory'
  if (exit === 0) return 'the expression stops jq'
  // The output of `debug` comes before it.
  const [, reason] = /^jq: (?:parse )?error(?: \(at [^)]*\))?(?: \(not a string\))?: (.*)/ms.exec(stderr) ?? []
  return reason === undefined ? stderr : caughtReason(reason)
}
