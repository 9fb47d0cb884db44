import { readDeal, requireDeal } from './fields/deal-fields.ts'
import { type ExpectedVersions, requireVersion } from './if-match.ts'
import { type Members, parseJsonText } from './json-text.ts'
import { notFound } from './problem.ts'
import { createRecord, patchRecord } from './records.ts'
import type { Pipeline } from './store/store.ts'
import type { CheckedWrite } from './write.ts'

export const DEALS_PATH = '/v1/deals'

export function dealCreation(sent: Members, pipelines: readonly Pipeline[]): CheckedWrite {
  const fields = sent.has('pipeline_id') ? sent : new Map([...sent, ['pipeline_id', defaultPipeline(pipelines)]])
  const deal = requireDeal(fields, pipelines)
  return {
    kind: 'deal',
    id: undefined,
    parent: undefined,
    decide: (state) => ({ ...createRecord(state, { collection: DEALS_PATH, fields, event: 'deal.created' }), deal }),
  }
}

/** A merge patch. The result must be a valid deal in a stage of its pipeline. */
export function dealUpdate(
  id: string,
  patch: Members,
  { expected, pipelines }: { readonly expected: ExpectedVersions; readonly pipelines: readonly Pipeline[] },
): CheckedWrite {
  return {
    kind: 'deal',
    id,
    parent: undefined,
    decide: (state) => {
      if (!state.current) throw notFound('deal', id)
      requireVersion(expected, state.current.version)
      const change = patchRecord(state, state.current, patch, 'deal.updated')
      const members = parseJsonText(change.next?.text ?? '{}') as Members
      return { ...change, deal: readDeal(members, pipelines) }
    },
  }
}

function defaultPipeline([first]: readonly Pipeline[]): string {
  return JSON.stringify(first?.id ?? null)
}
