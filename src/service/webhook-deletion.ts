import { type ExpectedVersions, requireVersion } from './if-match.ts'
import { notFound } from './problem.ts'
import { deleteRecord } from './records.ts'
import type { CheckedWrite } from './write.ts'

/** Its deliveries and their log go with it; tries under way are not called back. */
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
