import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { readBody } from '../body.ts'
import { type Members, parseJsonText } from '../json-text.ts'
import { PAGE_PARAMETERS, pageReply, readPageQuery } from '../page.ts'
import { invalidValues, notFound } from '../problem.ts'
import { type Route, routePath } from '../route.ts'
import type { DealColumns, Pipeline } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, write } from '../write.ts'
import { readDealFilters } from './deal-filters.ts'
import { creationChange, patchChange, requireRecord } from './records.ts'
import { notSent, oneOf, READ_ONLY_RULES, type Rules, requireRules, rulesOf, stringOf } from './rules.ts'

/** The rule of pipeline_id depends on the existing pipelines. */
const { pipeline_id: _, ...RULES } = rulesOf('deal')

/** Rules of a new deal without read-only fields. Pipeline and stage depend on the existing pipelines. */
export const DEAL_RULES: Rules = { ...READ_ONLY_RULES, ...RULES }

export const NOTE_RULES: Rules = { ...READ_ONLY_RULES, ...rulesOf('note'), deal_id: notSent }

export const dealRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: routePath('deal'),
    scope: 'read',
    parameters: [...PAGE_PARAMETERS, ...DEAL_FILTER_PARAMETERS],
    handle: async (store, call) =>
      pageReply(call, await store.deals(readPageQuery(call, 'deal'), readDealFilters(call.query))),
  },
  {
    method: 'POST',
    path: routePath('deal'),
    scope: 'write',
    parameters: [],
    handle: async (store, call) => write(store, call, dealCreation(readBody(call), await store.pipelines())),
  },
  {
    method: 'POST',
    path: routePath('note'),
    scope: 'write',
    parameters: [],
    handle: async (store, call) => write(store, call, noteCreation(call.id, readBody(call))),
  },
]

/** The first pipeline is the default one. */
export function dealCreation(sent: Members, pipelines: readonly Pipeline[]): CheckedWrite {
  const defaultId = JSON.stringify(pipelines[0]?.id ?? null)
  const fields = sent.has('pipeline_id') ? sent : new Map([...sent, ['pipeline_id', defaultId]])
  const deal = readDeal(fields, pipelines, DEAL_RULES)
  const creation = { collection: RESOURCES.deal.path, fields, event: 'deal.created' } as const
  return {
    resource: 'deal',
    id: undefined,
    decide: (state) => ({ ...creationChange(state, creation), deal }),
  }
}

/** A merge patch. The result must be a valid deal in a stage of its pipeline. */
export function dealUpdate(
  id: string,
  patch: Members,
  { expected, pipelines }: { readonly expected: ExpectedVersions; readonly pipelines: readonly Pipeline[] },
): CheckedWrite {
  return {
    resource: 'deal',
    id,
    decide: (state) => {
      const change = patchChange(state, requireRecord('deal', state, expected), patch, 'deal.updated')
      const members = parseJsonText(change.next?.text ?? '{}') as Members
      return { ...change, deal: readDeal(members, pipelines, RULES) }
    },
  }
}

/** The columns of a whole deal; the stage must belong to the pipeline. */
function readDeal(fields: Members, pipelines: readonly Pipeline[], rules: Rules): DealColumns {
  const pipelineId = stringOf(fields.get('pipeline_id'))
  const pipeline = pipelines.find((each) => each.id === pipelineId)
  const choice: Rules = pipeline
    ? { stage: oneOf(pipeline.stages.map(({ name }) => name)) }
    : { pipeline_id: oneOf(pipelines.map((each) => each.id)) }
  requireRules(fields, { ...rules, ...choice })
  const amount = fields.get('amount')
  return {
    name: stringOf(fields.get('name')) ?? '',
    stage: stringOf(fields.get('stage')) ?? '',
    ownerId: stringOf(fields.get('owner_id')) ?? null,
    pipelineId: pipeline?.id ?? '',
    amount: amount === undefined || amount === 'null' ? null : Number(amount),
  }
}

/** The path of the notes of a deal. */
export function notesPath(dealId: string): string {
  return RESOURCES.note.path.replace('{id}', () => dealId)
}

export function noteCreation(dealId: string, sent: Members): CheckedWrite {
  const fields = readNote(sent, dealId)
  return {
    resource: 'note',
    id: undefined,
    parent: { resource: 'deal', id: dealId },
    decide: (state) => {
      if (!state.isParentThere) throw notFound('deal', dealId)
      return creationChange(state, { collection: notesPath(dealId), fields, event: 'note.created' })
    },
  }
}

/** The members of a new note of a deal. `content`, the name in other services, is accepted for `body`. */
function readNote(sent: Members, dealId: string): Members {
  if (sent.has('body') && sent.has('content')) {
    throw invalidValues([{ pointer: '#/content', code: 'ambiguous', detail: 'expected body or content, not both' }])
  }
  const note = new Map([...sent].map(([name, value]) => [name === 'content' ? 'body' : name, value]))
  requireRules(note, NOTE_RULES)
  return new Map([['deal_id', JSON.stringify(dealId)], ...note])
}
