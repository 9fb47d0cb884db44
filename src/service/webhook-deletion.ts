import { type ExpectedVersions, requireVersion } from './if-match.ts'
import { notFound } from './problem.ts'
import { deleteRecord } from './records.ts'
import type { CheckedWrite } from './write.ts'

/** Also deletes its deliveries and their log. Attempts in progress are not aborted. */
export function webhookDeletion(id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    kind: 'webhook',
    id,
    parent: undefined,
    decide: (state) => {
      if (!state.current) throw notFound('webhook', id)
      requireVersion(expected, state.current.version)
      return deleteRecord(state, state.current, undefined)
    },
  }
}
