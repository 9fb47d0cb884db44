import { Buffer } from 'node:buffer'
import type { ConnectorDocument, ServerOffer } from '../connector/document.ts'
import { compilePath, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonObject, valueAt } from '../core/json.ts'
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
  readonly account: ConnectorDocument['account']
}

/** Asks for the key if the connector says that the server shows it; the rate also follows from earlier answers. */
export async function readServerKey({ raw, knows, rate, account }: Parts): Promise<ServerKey> {
  const record = knows('key') ? await readObject(raw, KEY_PATH) : {}
  const { expires_at: expiresAt, scopes, rate_limit: limit } = record
  return {
    id: textIn(record, 'id'),
    name: textIn(record, 'name'),
    scopes: Array.isArray(scopes) && scopes.every((each) => typeof each === 'string') ? scopes : undefined,
    expiresAt: expiresAt === null ? null : textIn(record, 'expires_at'),
    rate: limit === null ? null : isJsonObject(limit) ? rateIn(limit) : rate(),
    account: textIn(record, 'account') ?? (account && (await accountName(raw, account))),
  }
}

/** Undefined, too, where the key or the scopes do not reach so far. */
async function accountName(raw: RawApi, { path, query, name }: NonNullable<Parts['account']>) {
  try {
    const json = await readObject(raw, `${path}?${new URLSearchParams(query)}`)
    return idText(name.map((at) => readFirst(compilePath(at), json)).find((found) => found !== undefined))
  } catch (error) {
    if (error instanceof CrmError && ['forbidden', 'not_found'].includes(error.code)) return undefined
    throw error
  }
}

async function readObject(raw: RawApi, path: string): Promise<JsonObject> {
  const request = { method: 'GET', path, headers: [], bytes: undefined, idempotencyKey: undefined } as const
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
