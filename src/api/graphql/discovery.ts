import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { settingCommand } from '../../core/wire.ts'
import type { ApiOptions } from '../options.ts'
import type { Http } from '../transport/http.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import type { GraphqlAnswer, GraphqlRequest } from './graphql-api.ts'
import { type GraphqlOffers, type OfferName, readOffers } from './offers.ts'
import { INTROSPECTION, readSchema } from './schema.ts'

/** Changes when offers written by another release would be misread. */
const FORMAT = 2

const REMEMBERED_MS = 24 * 60 * 60 * 1000

/** A server that had no GraphQL may have been started without it by mistake. */
const ABSENCE_REMEMBERED_MS = 60 * 60 * 1000

export type Ask = (query: string, variables: JsonObject, more: Partial<GraphqlRequest>) => Promise<GraphqlAnswer>

export interface Discovery {
  send: Endpoint['send']
  /**
   * Sends a query made from an offer. If the server refuses one made from a cached offer, the schema is read again, once.
   * CrmError `not_supported` if the server has no such offer.
   */
  use<Name extends OfferName>(
    name: Name,
    ask: (offer: NonNullable<GraphqlOffers[Name]>, send: Ask) => Promise<GraphqlAnswer>,
  ): Promise<{ readonly offer: NonNullable<GraphqlOffers[Name]>; readonly answer: GraphqlAnswer }>
  /** The current offer, without the cache, and its path. CrmError `not_supported`. */
  find<Name extends OfferName>(
    name: Name,
  ): Promise<{ readonly offer: NonNullable<GraphqlOffers[Name]>; readonly path: string }>
}

interface Known {
  readonly offers: GraphqlOffers
  readonly isRemembered: boolean
}

export async function openDiscovery(http: Http, options: ApiOptions): Promise<Discovery> {
  const { baseUrl, memory, now, wire } = options
  const remembered = readMemory(await memory?.read(), now())
  const endpoint = openEndpoint(http, options, remembered?.path)
  let known = remembered?.offers && Promise.resolve<Known>({ offers: remembered.offers, isRemembered: true })

  async function discover(): Promise<Known> {
    try {
      const offers = await ask()
      await memory?.write({ ...stamp(), path: endpoint.path() ?? null, offers: { ...offers } as JsonObject })
      return { offers, isRemembered: false }
    } catch (error) {
      if (error instanceof CrmError && error.code === 'not_supported') await memory?.write({ ...stamp(), path: null })
      throw error
    }
  }

  const stamp = () => ({ format: FORMAT, at_ms: now() })

  async function ask(): Promise<GraphqlOffers> {
    const request = { query: INTROSPECTION, variables: {}, operationName: undefined, idempotencyKey: undefined }
    const { json } = await endpoint.send({ ...request, isRead: true, isProbe: true })
    const schema = readSchema(json.data)
    if (schema) return readOffers(schema)
    throw new CrmError('not_supported', `the GraphQL of ${baseUrl.origin} does not provide its schema`, {
      hint: 'query it directly: crm graphql QUERY',
    })
  }

  const send: Ask = (query, variables, more) =>
    endpoint.send({ query, variables, operationName: undefined, isRead: true, idempotencyKey: undefined, ...more })

  return {
    send: endpoint.send,
    use: async (name, ask) => {
      if (remembered?.isAbsent && !wire.graphqlPath) throw absent(options)
      known ??= discover()
      const { offers, isRemembered } = await known
      const offer = offers[name]
      const answer = offer && (await ask(offer, send))
      if (offer && answer && !(isRemembered && isStale(answer))) return { offer, answer }
      if (isRemembered) known = discover()
      const fresh = isRemembered ? (await known).offers[name] : undefined
      if (fresh) return { offer: fresh, answer: await ask(fresh, send) }
      throw notOffered(baseUrl, name)
    },
    find: async (name) => {
      known = discover()
      const offer = (await known).offers[name]
      const path = endpoint.path()
      if (!offer || path === undefined) throw notOffered(baseUrl, name)
      return { offer, path }
    },
  }
}

function notOffered({ origin }: URL, name: OfferName): CrmError {
  return new CrmError('not_supported', `the GraphQL of ${origin} offers no ${WORDS[name] ?? `${name}(id)`}`, {
    hint: 'see what it offers: crm graphql "{ __schema { queryType { fields { name } } } }"',
  })
}

/** The fields of offers other than single records. */
const WORDS: Readonly<Partial<Record<OfferName, string>>> = {
  notes: 'deal(id) with notes',
  pipelines: 'pipelines',
  webhooks: 'webhooks',
  updateDeal: 'updateDeal(input)',
  newestDeliveries: 'webhooks with deliveries(first)',
  deliveries: 'webhook(id) with deliveries(first, after)',
  rotateWebhookSecret: 'rotateWebhookSecret(input) with a secret',
  resendDelivery: 'resendDelivery(input)',
}

/** The query was refused before execution. */
function isStale({ json, errors }: GraphqlAnswer): boolean {
  return errors.length > 0 && !('data' in json)
}

function absent({ baseUrl, wire }: ApiOptions): CrmError {
  return new CrmError('not_supported', `no GraphQL endpoint found at ${baseUrl.origin} (cached for 1 h)`, {
    hint: `if it has one, name its path: ${settingCommand('wire.graphql_path /api/graphql', wire)}`,
  })
}

interface Remembered {
  readonly path: string | undefined
  readonly offers: GraphqlOffers | undefined
  readonly isAbsent: boolean
}

/** Undefined if the cache is expired or of another format. */
function readMemory(value: JsonObject | undefined, nowMs: number): Remembered | undefined {
  if (value?.format !== FORMAT || typeof value.at_ms !== 'number') return undefined
  const ageMs = Math.abs(nowMs - value.at_ms)
  if (value.path === null && ageMs < ABSENCE_REMEMBERED_MS)
    return { path: undefined, offers: undefined, isAbsent: true }
  if (typeof value.path !== 'string' || !isJsonObject(value.offers) || ageMs > REMEMBERED_MS) return undefined
  return { path: value.path, offers: value.offers as GraphqlOffers, isAbsent: false }
}
