import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal-filters.ts'
import { readBody } from '../body.ts'
import { type Members, parseJsonText } from '../json-text.ts'
import { PAGE_PARAMETERS, pageReply, readPage } from '../page.ts'
import { invalidValues, notFound } from '../problem.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { DealColumns, Pipeline, Store } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, requireVersion, write } from '../write.ts'
import { readDealFilters } from './deal-filters.ts'
import { createRecord, patchRecord } from './records.ts'
import { notSent, oneOf, READ_ONLY_RULES, type Rule, type Rules, requireRules, rulesOf, textOf } from './rules.ts'

/** The rule of pipeline_id depends on the existing pipelines. */
const { pipeline_id: _, ...RULES } = rulesOf('deal')

/** Rules of a new deal without read-only fields. Pipeline and stage depend on the existing pipelines. */
export const DEAL_RULES: Rules = { ...READ_ONLY_RULES, ...RULES }

export const NOTE_RULES: Rules = { ...READ_ONLY_RULES, ...rulesOf('note'), deal_id: notSent }

const DEALS_PATH = '/v1/deals'

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

export function notesPath(dealId: string): string {
  return `/v1/deals/${dealId}/notes`
}

export function noteCreation(dealId: string, sent: Members): CheckedWrite {
  const fields = readNote(sent, dealId)
  return {
    kind: 'note',
    id: undefined,
    parent: { kind: 'deal', id: dealId },
    decide: (state) => {
      if (!state.isParentThere) throw notFound('deal', dealId)
      return createRecord(state, { collection: notesPath(dealId), fields, event: 'note.created' })
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

function requireDeal(fields: Members, pipelines: readonly Pipeline[]): DealColumns {
  return readDeal(fields, pipelines, DEAL_RULES)
}

/** The columns of a whole deal; the stage must belong to the pipeline. */
function readDeal(fields: Members, pipelines: readonly Pipeline[], rules: Rules = RULES): DealColumns {
  const pipelineId = textOf(fields.get('pipeline_id'))
  const pipeline = pipelines.find((each) => each.id === pipelineId)
  const choice: Rules = pipeline ? { stage: stageRule(pipeline) } : { pipeline_id: pipelineRule(pipelines) }
  requireRules(fields, { ...rules, ...choice })
  const amount = fields.get('amount')
  return {
    name: textOf(fields.get('name')) ?? '',
    stage: textOf(fields.get('stage')) ?? '',
    ownerId: textOf(fields.get('owner_id')) ?? null,
    pipelineId: pipeline?.id ?? '',
    amount: amount === undefined || amount === 'null' ? null : Number(amount),
  }
}

function stageRule({ stages }: Pipeline): Rule {
  return oneOf(stages.map((each) => each.name))
}

function pipelineRule(pipelines: readonly Pipeline[]): Rule {
  return oneOf(pipelines.map((each) => each.id))
}

export const noteRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/deals/:id/notes', scope: 'write', parameters: [], handle: createNote },
]

async function createNote(store: Store, call: Call): Promise<Reply> {
  return write(store, call, noteCreation(call.id, readBody(call)))
}

const LIST_PARAMETERS = [...PAGE_PARAMETERS, ...DEAL_FILTER_PARAMETERS]

export const dealRoutes: readonly Route[] = [
  { method: 'GET', path: DEALS_PATH, scope: 'read', parameters: LIST_PARAMETERS, handle: listDeals },
  { method: 'POST', path: DEALS_PATH, scope: 'write', parameters: [], handle: createDeal },
]

async function listDeals(store: Store, call: Call): Promise<Reply> {
  return pageReply(call, await store.deals(readPage(call, 'deal'), readDealFilters(call.query)))
}

async function createDeal(store: Store, call: Call): Promise<Reply> {
  return write(store, call, dealCreation(readBody(call), await store.pipelines()))
}
