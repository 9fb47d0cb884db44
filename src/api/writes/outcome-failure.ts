import type { Failure } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import { readProblem } from '../errors/problem.ts'
import { type Answer, parseJson } from '../transport/answer.ts'
import { requestIdOf } from '../transport/headers.ts'
import { matchesNone } from './answer-signs.ts'
import type { WriteOutcome } from './judge-write.ts'

/** The Failure of a write with a 2xx that is not done. */
export function outcomeFailure(
  answer: Answer,
  outcome: Exclude<WriteOutcome, { type: 'done' }>,
  hint: string,
): Failure {
  const { status, headers } = answer
  const quoted = quotedIn(answer)
  const problem = readProblem(quoted, parseJson(quoted))
  const requestId = requestIdOf(headers, problem)
  const common = { hint, rule: 'never', status, headers, ...(requestId === undefined ? {} : { requestId }) } as const
  if (outcome.type === 'in doubt')
    return { ...common, code: 'in_doubt', reason: doubtReason(answer, quoted, outcome), isInDoubt: true }
  return {
    ...common,
    code: 'rejected',
    reason: `${problem.message} (${status})`,
    isInDoubt: false,
    ...(problem.code === undefined ? {} : { serverCode: problem.code }),
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(problem.fields.length === 0 ? {} : { fields: problem.fields }),
  }
}

function doubtReason(
  { status, headers }: Answer,
  quoted: string,
  { isAnother }: WriteOutcome & { type: 'in doubt' },
): string {
  const shown = quoted === '' ? 'it is empty' : oneLine(quoted, 100)
  if (matchesNone(headers)) return `the answer (${status}) states that no record matched (Content-Range: */0)`
  if (isAnother) return `the answer (${status}) shows a different record: ${shown}`
  // RFC 9110, 15.3.3: accepted, but not completed.
  if (status === 202) return `the answer (202) accepts the request without confirming it: ${shown}`
  return `the answer (${status}) shows neither a record nor a refusal: ${shown}`
}

/** The redacted body of an answer, for messages. */
export function quotedIn({ json, quoted }: Pick<Answer, 'json' | 'quoted'>): string {
  return json === undefined ? '' : JSON.stringify(quoted?.() ?? json)
}
