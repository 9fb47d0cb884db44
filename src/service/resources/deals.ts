import { RESOURCES } from '../../core/resources/registry.ts'
import { type Members, parseJsonText } from '../json-text.ts'
import { pageReply, readPageQuery } from '../page.ts'
import { invalidValue, notFound } from '../problem.ts'
import type { Route } from '../route.ts'
import type { DealColumns, Pipeline } from '../store/store.ts'
import type { CheckedWrite } from '../write.ts'
import { readFilters } from './filters.ts'
import { creationChange, patchChange, requireRecord } from './records.ts'
import { referencesIn, requireReferences } from './references.ts'
import { getRecord, handlersOf, type RecordWrites, routesOf } from './routes.ts'
import {
  oneOf,
  patchRules,
  READ_ONLY_RULES,
  type RulesByMember,
  readOnlyMember,
  requireRules,
  rulesOf,
  stringOf,
} from './rules.ts'

/** The rule of pipeline_id depends on the existing pipelines. */
const { pipeline_id: _, ...RULES } = rulesOf('deal')

/** Of a whole deal, which may be older than the rule of contact_ids. */
const { contact_ids, ...WHOLE_RULES } = RULES

const PATCH_RULES: RulesByMember = patchRules(contact_ids ? { contact_ids } : {})

/** Rules of a new deal without read-only fields. Pipeline and stage depend on the existing pipelines. */
export const DEAL_RULES: RulesByMember = { ...READ_ONLY_RULES, ...RULES }

export const NOTE_RULES: RulesByMember = { ...READ_ONLY_RULES, ...rulesOf('note'), deal_id: readOnlyMember }

export const dealWrites: RecordWrites = {
  create: async (sent, { store }) => dealCreation(sent, await store.pipelines()),
  /** The result must be a valid deal in a stage of its pipeline. */
  update: async (id, patch, expected, { store }) => {
    const pipelines = await store.pipelines()
    return {
      resource: 'deal',
      id,
      references: referencesIn('deal', patch),
      decide: (state) => {
        const current = requireRecord('deal', state, expected)
        requireRules(patch, PATCH_RULES)
        requireReferences(state, current)
        const change = patchChange(state, current, patch, 'deal.updated')
        const members = parseJsonText(change.next?.text ?? '{}') as Members
        return { ...change, deal: readDeal(members, pipelines, WHOLE_RULES) }
      },
    }
  },
}

export const noteWrites: RecordWrites = { create: (sent, { parentId = '' }) => noteCreation(parentId, sent) }

export const dealRoutes: readonly Route[] = [
  ...routesOf(
    'deal',
    {
      ...handlersOf('deal', dealWrites),
      list: async (store, call) => {
        const query = readPageQuery(call, 'deal')
        return pageReply(call, await store.page('deal', query, readFilters('deal', call.query)))
      },
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
      ...handlersOf('note', noteWrites),
      list: async (store, call) => {
        const query = { ...readPageQuery(call, 'note'), dealIds: [call.id], maxChars: Number.POSITIVE_INFINITY }
        const { id } = await getRecord(store, 'deal', call.id)
        return pageReply(call, (await store.notes(query)).get(id) ?? { texts: [], nextOlderThanId: undefined })
      },
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
    references: referencesIn('deal', fields),
    decide: (state) => {
      requireReferences(state)
      return { ...creationChange(state, creation), deal }
    },
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

/** The members of a new note of a deal. `content`, the name in other services, is accepted for `body`. */
function readNote(sent: Members, dealId: string): Members {
  if (sent.has('body') && sent.has('content')) {
    throw invalidValue('#/content', 'ambiguous', 'expected body or content, not both')
  }
  const note = new Map([...sent].map(([name, value]) => [name === 'content' ? 'body' : name, value]))
  requireRules(note, NOTE_RULES)
  return new Map([['deal_id', JSON.stringify(dealId)], ...note])
}
