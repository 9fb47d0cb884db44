import { RESOURCES } from '../../core/resources/registry.ts'
import { readBody } from '../body.ts'
import { type Members, parseJsonText } from '../json-text.ts'
import { pageReply, readPageQuery } from '../page.ts'
import { invalidValues, notFound } from '../problem.ts'
import type { Route } from '../route.ts'
import type { DealColumns, Pipeline } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, readIfMatch, write } from '../write.ts'
import { readDealFilters } from './filters.ts'
import { creationChange, deletionChange, patchChange, requireRecord } from './records.ts'
import { getRecord, routesOf, showRecord } from './routes.ts'
import { oneOf, READ_ONLY_RULES, type RulesByMember, readOnlyMember, requireRules, rulesOf, stringOf } from './rules.ts'

/** The rule of pipeline_id depends on the existing pipelines. */
const { pipeline_id: _, ...RULES } = rulesOf('deal')

/** Rules of a new deal without read-only fields. Pipeline and stage depend on the existing pipelines. */
export const DEAL_RULES: RulesByMember = { ...READ_ONLY_RULES, ...RULES }

export const NOTE_RULES: RulesByMember = { ...READ_ONLY_RULES, ...rulesOf('note'), deal_id: readOnlyMember }

export const dealRoutes: readonly Route[] = [
  ...routesOf(
    'deal',
    {
      list: async (store, call) =>
        pageReply(call, await store.deals(readPageQuery(call, 'deal'), readDealFilters(call.query))),
      create: async (store, call) => write(store, call, dealCreation(readBody(call), await store.pipelines())),
      get: showRecord('deal'),
      update: async (store, call) => {
        const rules = { expected: readIfMatch(call.headers['if-match']), pipelines: await store.pipelines() }
        return write(store, call, dealUpdate(call.id, readBody(call), rules))
      },
      delete: async (store, call) => write(store, call, dealDeletion(call.id, readIfMatch(call.headers['if-match']))),
    },
    {
      create: [undefined, 'The stage must belong to the pipeline, by default the default pipeline.'],
      update: [
        undefined,
        'A JSON merge patch (RFC 7396): null removes a member. The stage must belong to the pipeline.',
      ],
      delete: [undefined, 'Also deletes its notes; each has an event. Repeating it gives 404.'],
    },
  ),
  ...routesOf(
    'note',
    {
      list: async (store, call) => {
        const query = { ...readPageQuery(call, 'note'), dealIds: [call.id], maxChars: Number.POSITIVE_INFINITY }
        const { id } = await getRecord(store, 'deal', call.id)
        return pageReply(call, (await store.notes(query)).get(id) ?? { texts: [], nextOlderThanId: undefined })
      },
      create: async (store, call) => write(store, call, noteCreation(call.id, readBody(call))),
      delete: async (store, call) => write(store, call, noteDeletion(call.id, readIfMatch(call.headers['if-match']))),
    },
    {
      list: ['List the notes of a deal'],
      create: ['Add a note to a deal', 'The text is in body or content.'],
    },
  ),
]

/** The first pipeline is the default one. */
export function dealCreation(sent: Members, pipelines: readonly Pipeline[]): CheckedWrite {
  const defaultId = JSON.stringify(pipelines[0]?.id ?? null)
  const fields = sent.has('pipeline_id') ? sent : new Map([...sent, ['pipeline_id', defaultId]])
  const deal = readDeal(fields, pipelines, DEAL_RULES)
  const creation = { resource: 'deal', fields, event: 'deal.created' } as const
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

/** Also deletes its notes. Their events come before that of the deal. */
export function dealDeletion(id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    resource: 'deal',
    id,
    decide: (state) => deletionChange(state, requireRecord('deal', state, expected), 'deal.deleted', 'note.deleted'),
  }
}

/** The columns of a whole deal; the stage must belong to the pipeline. */
function readDeal(fields: Members, pipelines: readonly Pipeline[], rules: RulesByMember): DealColumns {
  const pipelineId = stringOf(fields.get('pipeline_id'))
  const pipeline = pipelines.find((each) => each.id === pipelineId)
  const choice: RulesByMember = pipeline
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
      return creationChange(state, { resource: 'note', fields, event: 'note.created' })
    },
  }
}

export function noteDeletion(id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    resource: 'note',
    id,
    decide: (state) => deletionChange(state, requireRecord('note', state, expected), 'note.deleted'),
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
