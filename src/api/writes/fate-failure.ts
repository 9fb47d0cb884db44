import type { Failure } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import { readProblem } from '../errors/problem.ts'
import { coversNone } from '../pages/covers-none.ts'
import type { Answer } from '../transport/answer.ts'
import { requestIdOf } from '../transport/headers.ts'
import { parseJson } from '../transport/parse-answer.ts'
import type { WriteFate } from './judge-write.ts'

/** A write that was answered 2xx and is not done, as a Failure. */
export function fateFailure(answer: Answer, fate: Exclude<WriteFate, { is: 'done' }>, hint: string): Failure {
  const { status, headers } = answer
  const quoted = quotedIn(answer)
  const problem = readProblem(quoted, parseJson(quoted))
  const requestId = requestIdOf(headers, problem)
  const common = { hint, rule: 'never', status, headers, ...(requestId === undefined ? {} : { requestId }) } as const
  if (fate.is === 'in doubt')
    return { ...common, code: 'in_doubt', reason: doubtReason(answer, quoted, fate), isInDoubt: true }
  return {
    ...common,
    code: 'rejected',
    reason: `${problem.message} (${status})`,
    isInDoubt: false,
    ...(problem.code === undefined ? {} : { serverCode: problem.code }),
    ...(problem.field === undefined ? {} : { field: problem.field }),
  }
}

function doubtReason(
  { status, headers }: Answer,
  quoted: string,
  { isAnother }: WriteFate & { is: 'in doubt' },
): string {
  const came = quoted === '' ? 'it is empty' : oneLine(quoted, 100)
  if (coversNone(headers)) return `the answer (${status}) states that no record matched (Content-Range: */0)`
  if (isAnother) return `the answer (${status}) shows another record than was sent: ${came}`
  // RFC 9110, 15.3.3: accepted, but not completed.
  if (status === 202) return `the answer (202) accepts it, and does not show that it is done: ${came}`
  return `the answer (${status}) shows neither a record nor a refusal: ${came}`
}

/** The body of an answer, as a message may quote it. */
export function quotedIn({ json, quoted }: Pick<Answer, 'json' | 'quoted'>): string {
  return json === undefined ? '' : JSON.stringify(quoted?.() ?? json)
}
