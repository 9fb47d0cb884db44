import type { Answered, CommandShape } from '../shape.ts'

/** `done` prints the id; `refused` and `doubt` have texts that stderr has to hold. */
type Right = { readonly done: string } | { readonly refused: RegExp } | { readonly doubt: RegExp }

export interface WriteShape {
  readonly name: string
  readonly answer: Answered
  readonly right: Right
}

export const ADA = { id: 'con_1', name: 'Ada', email: 'ada@example.com' }
export const ROWS = 'name,email\nAda,ada@example.com\n'

/** The write is answered as the shape says; `made` is listed behind it, and `there` from the start. */
export function serving(
  answer: Answered,
  there: readonly object[],
  made: readonly object[] = [],
): CommandShape['answer'] {
  let listed = there
  return ({ method, path }) => {
    if (method !== 'GET') {
      listed = [...there, ...made.map((record) => ({ ...record, created_at: new Date().toISOString() }))]
      return answer
    }
    return path === '/v1/contacts'
      ? { json: { data: listed, next_cursor: null } }
      : { status: 404, json: { message: 'not here' } }
  }
}

function rightOf(right: Right): CommandShape['right'] {
  if ('done' in right) return { exit: 0, stdout: right.done === '' ? '' : `${right.done}\n`, writes: 1 }
  return 'refused' in right
    ? { exit: 7, stdout: '', stderr: right.refused, writes: 1 }
    : { exit: 3, stdout: '', stderr: right.doubt, writes: 1 }
}

export const single = (verb: string, argv: readonly string[], shapes: readonly WriteShape[]): readonly CommandShape[] =>
  shapes.map(({ name, answer, right }) => ({
    name: `contacts ${verb} answered with ${name}`,
    argv: ['contacts', verb, ...argv],
    answer: serving(answer, []),
    right: rightOf(right),
  }))
