import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import { type CrmRecord, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { timeOrderedUuid } from '../../core/time-ordered-uuid.ts'
import { isConflictStatus, lookUpFailure } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ConditionalOptions, ListQuery, Page } from '../operations.ts'
import { ownId } from '../writes/shown-record.ts'
import { changedRecord, dealInput, graphqlError, recordOf } from './answers.ts'
import type { Discovery } from './discovery.ts'
import type { GraphqlAnswer, GraphqlReads } from './graphql-api.ts'
import type { ListOffer, UpdateOffer } from './offers.ts'
import { deliveriesById, resendDeliveryOverGraphql, rotateSecretOverGraphql } from './webhook-reads.ts'

/** Each comes with its newest deliveries, and servers limit the size of answers. */
const WEBHOOKS_AT_ONCE = 20

const DELIVERIES_AT_ONCE = 100

const DEALS_COMMAND = 'crm deals list'

export function createReads(discovery: Discovery, pageSize: number): GraphqlReads {
  return {
    get: (noun, id) => get(discovery, noun, id),
    list: (noun, query) =>
      listPages(discovery, noun, query, {
        pageSize,
        variables: {},
        action: `list ${noun}`,
        hint: 'crm graphql --help',
      }),
    notes: (dealId, query) =>
      listPages(discovery, 'notes', query, {
        pageSize,
        variables: { id: dealId },
        action: `list the notes of deal ${dealId}`,
        hint: DEALS_COMMAND,
      }),
    newestDeliveries: (signal) =>
      deliveriesById(
        listPages(
          discovery,
          'newestDeliveries',
          { signal },
          {
            pageSize: WEBHOOKS_AT_ONCE,
            variables: {},
            action: 'list the deliveries of webhooks',
            hint: 'crm graphql --help',
          },
        ),
      ),
    deliveries: (webhookId, query) =>
      listPages(discovery, 'deliveries', query, {
        pageSize: Math.min(pageSize, DELIVERIES_AT_ONCE),
        variables: { id: webhookId },
        action: `list the deliveries of webhook ${webhookId}`,
        hint: 'crm webhooks list',
      }),
    rotateSecret: (id, options) => rotateSecretOverGraphql(discovery, id, options),
    resendDelivery: (delivery, options) => resendDeliveryOverGraphql(discovery, delivery, options),
    updateDeal: (id, patch, options) => updateDeal(discovery, id, patch, options),
    dealUpdates: async () => {
      const { offer, path } = await discovery.find('updateDeal')
      return { path, query: offer.query, place: [offer.field, offer.member], members: offer.members }
    },
  }
}

async function get(discovery: Discovery, noun: ListedResource, id: string): Promise<CrmRecord | undefined> {
  const { offer, answer } = await discovery.use(noun, ({ query }, send) => send(query, { id }, { isProbe: true }))
  const hint = `crm ${RESOURCES[noun].plural} list`
  return isNotFound(answer) ? undefined : recordOf(dataOf(answer, `get ${noun} ${id}`, hint)[offer.field])
}

/** Servers report this with null or with an error. */
function isNotFound({ errors }: GraphqlAnswer): boolean {
  return errors.some(({ extensions }) => isJsonObject(extensions) && /^not_?found$/i.test(String(extensions.code)))
}

function dataOf({ json, errors }: GraphqlAnswer, action: string, hint: string): JsonObject {
  if (errors.length > 0) throw graphqlError({ errors, action, hint, findHint: DEALS_COMMAND })
  return isJsonObject(json.data) ? json.data : {}
}

interface ListCall {
  readonly pageSize: number
  readonly variables: JsonObject
  readonly action: string
  readonly hint: string
}

async function* listPages(
  discovery: Discovery,
  name: 'notes' | 'pipelines' | 'webhooks' | 'newestDeliveries' | 'deliveries',
  query: Partial<ListQuery> = {},
  { pageSize, variables, action, hint }: ListCall,
): AsyncGenerator<Page, void, undefined> {
  const seen = new Set<string>()
  let remaining = query.limit ?? Number.POSITIVE_INFINITY
  for (let after = query.cursor; remaining > 0; ) {
    const page = { ...variables, first: Math.min(remaining, pageSize), after: after ?? null }
    const { offer, answer } = await discovery.use(name, (found, send) => send(found.query, declared(found, page), {}))
    const data = dataOf(answer, action, hint)
    const [parent] = offer.place
    if (variables.id !== undefined && parent !== undefined && data[parent] === null) {
      throw new CrmError('not_found', `there is no ${parent} ${JSON.stringify(variables.id)}`, { hint })
    }
    const { items, next } = readPage(offer, data, action)
    if (next !== undefined && seen.has(next)) throw badPage(action, 'the server repeated a cursor')
    const isCut = items.length > remaining
    if (isCut) yield { items: items.slice(0, remaining), nextCursor: undefined, isCut }
    else yield { items, nextCursor: next }
    if (next === undefined) return
    seen.add(next)
    remaining -= items.length
    after = next
  }
}

/** The variables that the query declares: servers refuse others. */
function declared({ query }: ListOffer, all: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(all).filter(([name]) => query.includes(`$${name}:`)))
}

function readPage(
  { place, shape, isPaged }: ListOffer,
  data: JsonObject,
  action: string,
): { readonly items: readonly CrmRecord[]; readonly next: string | undefined } {
  const list = valueAt(data, place) ?? null
  const nodes = shape === 'list' ? list : isJsonObject(list) ? list[shape] : undefined
  if (!Array.isArray(nodes)) throw badPage(action, 'the answer contains no list')
  const items = nodes.map((node) => recordOf(shape === 'edges' && isJsonObject(node) ? node.node : node))
  if (!items.every((item) => item !== undefined))
    throw badPage(action, 'the list contains something that is not a record')
  const hasMore = shape !== 'list' && valueAt(list, ['pageInfo', 'hasNextPage']) === true
  const cursor: JsonValue | undefined = hasMore ? valueAt(list, ['pageInfo', 'endCursor']) : undefined
  if (hasMore && (typeof cursor !== 'string' || !isPaged)) {
    throw badPage(action, 'there are more records, but no cursor for them')
  }
  return { items, next: typeof cursor === 'string' ? cursor : undefined }
}

function badPage(action: string, reason: string): CrmError {
  return new CrmError('bad_answer', `cannot ${action}: ${reason}`, {
    hint: 'query the server directly: crm graphql --help',
  })
}

async function updateDeal(
  discovery: Discovery,
  id: string,
  patch: JsonObject,
  { idempotencyKey, ifMatch, signal, isLetFinish }: ConditionalOptions,
): Promise<CrmRecord> {
  const key = idempotencyKey ?? timeOrderedUuid()
  const action = `update deal ${id}`
  const { offer, answer } = await discovery.use('updateDeal', (found, send) =>
    send(
      found.query,
      { input: inputOf(found, id, patch, ifMatch) },
      {
        isRead: false,
        isRepeatable: true,
        idempotencyKey: key,
        signal,
        isLetFinish,
        as: { action, command: `crm deals update ${shellWord(id)}` },
      },
    ),
  )
  const place = [offer.field, offer.member]
  const record = changedRecord(answer.json, place, id)
  if (record) return record
  if (answer.isAfterLostTry && isPerhapsConflict(answer)) return afterLostTry(discovery, { id, patch, answer })
  const shownId = ownId(recordOf(valueAt(dataOf(answer, action, `crm deals get ${id}`), place)) ?? {})
  const shown = shownId === undefined ? 'neither the deal nor a refusal' : `another deal, ${oneLine(shownId, 60)}`
  throw new CrmError(
    'in_doubt',
    `cannot ${action}: the answer shows ${shown}; it is unknown whether the server applied it`,
    {
      hint: `crm deals get ${shellWord(id)}`,
      isInDoubt: true,
      idempotencyKey: key,
    },
  )
}

/** A refusal with a code that crm does not know may be a conflict. */
function isPerhapsConflict({ errors }: GraphqlAnswer): boolean {
  if (errors.length === 0) return false
  const { code, details } = graphqlError({ errors, action: '', hint: '' })
  return ['conflict', 'precondition_failed', 'rejected'].includes(code) || isConflictStatus(details.status)
}

interface LostUpdate {
  readonly id: string
  readonly patch: JsonObject
  readonly answer: GraphqlAnswer
}

/** The conflict may be with what the lost try did: the deal shows whether it has the values sent. */
async function afterLostTry(discovery: Discovery, { id, patch, answer }: LostUpdate): Promise<CrmRecord> {
  const hint = `crm deals get ${shellWord(id)}`
  const { message } = graphqlError({ errors: answer.errors, action: `update deal ${id}`, hint })
  const found = await get(discovery, 'deal', id).catch(lookUpFailure)
  const isChanged = typeof found === 'object' && Object.keys(changedMembers(found, patch)).length === 0
  if (isChanged) return found
  const seen = typeof found === 'string' ? found : 'the deal does not have the values that were sent'
  const doubt = 'it is unknown whether the server applied it'
  throw new CrmError('in_doubt', `${message}; ${doubt}; ${seen}`, { hint, isInDoubt: true })
}

function inputOf({ members }: UpdateOffer, id: string, patch: JsonObject, ifMatch: string | undefined): JsonObject {
  const version = ifMatch === undefined ? {} : { ifVersion: versionOf(members, ifMatch) }
  return { ...dealInput(members, id, patch), ...version }
}

function versionOf(members: readonly string[], ifMatch: string): number {
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(ifMatch)?.[1]
  if (!members.includes('ifVersion')) {
    throw new CrmError('not_supported', 'this server does not support updates conditional on the version of a deal', {
      hint: 'leave out --if-match',
    })
  }
  if (version !== undefined) return Number(version)
  throw new CrmError('usage', `--if-match ${JSON.stringify(ifMatch)} is not a version`, {
    hint: 'expected a number, such as 3',
  })
}
