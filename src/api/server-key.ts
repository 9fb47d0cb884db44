import { Buffer } from 'node:buffer'
import type { ServerOffer } from '../connector/document.ts'
import { isJsonObject, type JsonObject, valueAt } from '../core/json.ts'
import { KEY_PATH } from '../core/resources/registry.ts'
import type { StatedRate } from './operations.ts'
import type { RawApi } from './raw.ts'
import { parseJson } from './transport/answer.ts'

/** What a server states about the key in use; undefined where it states nothing. */
export interface ServerKey {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly scopes: readonly string[] | undefined
  /** Null: it does not expire. */
  readonly expiresAt: string | null | undefined
  /** Null: there is no limit. */
  readonly rate: Partial<Pick<StatedRate, 'limit' | 'windowMs'>> | null | undefined
  readonly account: string | undefined
}

interface Parts {
  readonly raw: RawApi
  readonly knows: (offered: ServerOffer) => boolean
  /** The limit of the last answer. */
  readonly rate: () => StatedRate | undefined
}

/** Asks for the key if the connector says that the server shows it; the rate also follows from earlier answers. */
export async function readServerKey({ raw, knows, rate }: Parts): Promise<ServerKey> {
  const record = knows('key') ? await showKey(raw) : {}
  const { expires_at: expiresAt, scopes, rate_limit: limit } = record
  return {
    id: textIn(record, 'id'),
    name: textIn(record, 'name'),
    scopes: Array.isArray(scopes) && scopes.every((each) => typeof each === 'string') ? scopes : undefined,
    expiresAt: expiresAt === null ? null : textIn(record, 'expires_at'),
    rate: limit === null ? null : isJsonObject(limit) ? rateIn(limit) : rate(),
    account: textIn(record, 'account'),
  }
}

async function showKey(raw: RawApi): Promise<JsonObject> {
  const request = { method: 'GET', path: KEY_PATH, headers: [], bytes: undefined, idempotencyKey: undefined } as const
  const { reply, error } = await raw.send(request)
  if (error || !reply) throw error ?? new Error('no answer')
  const json = parseJson(Buffer.from(reply.body).toString())
  return isJsonObject(json) ? json : {}
}

function textIn(record: JsonObject, name: string): string | undefined {
  const value = valueAt(record, [name])
  return typeof value === 'string' ? value : undefined
}

function rateIn(limit: JsonObject): ServerKey['rate'] {
  const { requests, window_ms: windowMs } = limit
  return {
    limit: typeof requests === 'number' ? requests : undefined,
    windowMs: typeof windowMs === 'number' ? windowMs : undefined,
  }
}
