import { CrmError } from '../core/errors.ts'
import type { ExpressionFlag } from './expression.ts'
import type { JqRun } from './jq.ts'

const LANGUAGE_HINT = 'the language is jq 1.7: https://jqlang.org/manual/v1.7/'

export function compileFailure(flag: string, text: string, stderr: string): CrmError {
  const reason = stderr
    .split('\n', 1)
    .join('')
    .replace(/^jq: error: /, '')
    .replace(' (Unix shell quoting issues?)', '')
    .replace(/ at <top-level>, line \d+:$/, '')
  return new CrmError('usage', `${flag} ${JSON.stringify(text)} is no jq expression: ${reason}`, {
    hint: LANGUAGE_HINT,
  })
}

export interface Failure {
  readonly flag: ExpressionFlag
  /** The record that it failed on; undefined when it was given one value. */
  readonly place: string | undefined
  readonly run: JqRun
}

export function evaluationFailure({ flag, place, run }: Failure): CrmError {
  return new CrmError('invalid_input', `${flag} fails${place ? ` on ${place}` : ''}: ${reasonOf(run)}`, {
    hint: `make it hold for every record: (EXPR)? leaves such a record out, // gives a default, such as (.amount // 0)`,
  })
}

function reasonOf({ exit, stderr }: JqRun): string {
  if (exit === undefined) return 'jq ran out of memory'
  if (exit === 0) return 'the expression stops jq'
  // What `debug` says stands before it.
  const [, reason] = /^jq: (?:parse )?error(?: \(at [^)]*\))?(?: \(not a string\))?: (.*)/ms.exec(stderr) ?? []
  // All that jq says of `input` when there is none.
  if (reason === 'break') return 'input finds nothing to read: the value at hand, ., is all there is'
  return reason ?? stderr
}
