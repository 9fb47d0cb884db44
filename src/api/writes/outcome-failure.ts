import type { Failure } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import { readProblem } from '../errors/problem.ts'
import { type Answer, parseJson } from '../transport/answer.ts'
import { requestIdOf } from '../transport/headers.ts'
import type { WriteOutcome } from './write.ts'

/** The Failure of a write with a 2xx that is not known to be done. */
export function doubtFailure(answer: Answer, { why }: WriteOutcome & { type: 'in doubt' }, hint: string): Failure {
  const { status, headers } = answer
  const quoted = quotedIn(answer)
  const shown = quoted === '' ? 'it is empty' : oneLine(quoted, 100)
  const requestId = requestIdOf(headers, readProblem(quoted, parseJson(quoted)))
  return {
    ...{ code: 'in_doubt', hint, rule: 'never', status, headers, isInDoubt: true },
    reason: `the answer (${status}) ${why}: ${shown}`,
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** The redacted body of an answer, for messages. */
function quotedIn({ json, quoted }: Pick<Answer, 'json' | 'quoted'>): string {
  return json === undefined ? '' : JSON.stringify(quoted?.() ?? json)
}
