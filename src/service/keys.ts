import { hash, randomBytes, randomInt } from 'node:crypto'
import { CrmError } from '../core/errors.ts'
import { decodeId, encodeId, SERIALS_PER_MS } from '../core/ids.ts'
import { nextSerial } from './store/change-rules.ts'
import type { ApiKey, KeyRate, KeyScope, Store } from './store/store.ts'

export interface KeyRequest {
  readonly name: string
  readonly scopes: readonly KeyScope[]
  /** Undefined: until it is revoked. */
  readonly expiresAtMs: number | undefined
  /** Undefined: the rate of the service. */
  readonly rate?: KeyRate | undefined
  /** The key itself, if it exists elsewhere; otherwise a key is generated. */
  readonly text?: string
}

export interface MadeKey {
  readonly key: ApiKey
  /** To be shown once: the store keeps only its hash. */
  readonly text: string
}

/** Valid in an Authorization header: token68 of RFC 9110 section 11.2. */
export const KEY_TEXT = /^[A-Za-z0-9._~+/-]+=*$/

export function newKeyText(): string {
  return `crm_key_${randomBytes(32).toString('base64url')}`
}

export function hashKey(text: string): string {
  return hash('sha256', text, 'hex')
}

export function requireKeyText(text: string): void {
  if (KEY_TEXT.test(text)) return
  throw new CrmError('invalid_input', 'the key contains characters other than letters, digits and - . _ ~ + /', {
    hint: 'omit the key to generate one',
  })
}

export async function createKey(store: Store, request: KeyRequest, nowMs: number): Promise<MadeKey> {
  const { name, scopes, expiresAtMs, rate, text = newKeyText() } = request
  requireKeyText(text)
  const key: ApiKey = {
    id: await newKeyId(store, nowMs),
    name,
    hash: hashKey(text),
    lastFour: text.slice(-4),
    scopes,
    createdAtMs: nowMs,
    expiresAtMs,
    revokedAtMs: undefined,
    rate,
  }
  await store.addKey(key)
  return { key, text }
}

export interface KeyCommand {
  readonly nowMs: number
  /** For errors: the command that lists the keys. */
  readonly hint: string
}

/**
 * Replaces a key by a new one with the same name, scopes, rate and lifetime. The old key ends after `overlapMs` or at its own
 * expiry; 0 revokes it at once.
 */
export async function rotateKey(
  store: Store,
  id: string,
  { overlapMs, ...at }: KeyCommand & { readonly overlapMs: number },
): Promise<MadeKey> {
  const { nowMs } = at
  const old = await requireLiveKey(store, id, at)
  const expiresAtMs = old.expiresAtMs === undefined ? undefined : nowMs + (old.expiresAtMs - old.createdAtMs)
  const { name, scopes, rate } = old
  const made = await createKey(store, { name, scopes, rate, expiresAtMs }, nowMs)
  const endMs = Math.min(nowMs + overlapMs, old.expiresAtMs ?? Number.POSITIVE_INFINITY)
  await store.endKey(id, overlapMs > 0 ? { expiresAtMs: endMs } : { revokedAtMs: nowMs })
  return made
}

export async function revokeKey(store: Store, id: string, at: KeyCommand): Promise<void> {
  await requireLiveKey(store, id, at)
  await store.endKey(id, { revokedAtMs: at.nowMs })
}

async function requireLiveKey(store: Store, id: string, { nowMs, hint }: KeyCommand): Promise<ApiKey> {
  const key = (await store.keys()).find((each) => each.id === id)
  if (!key) throw new CrmError('not_found', `there is no key ${JSON.stringify(id)}`, { hint })
  if (isOver(key.revokedAtMs, nowMs)) throw new CrmError('conflict', `key ${id} is already revoked`, { hint })
  if (isOver(key.expiresAtMs, nowMs)) throw new CrmError('conflict', `key ${id} has expired`, { hint })
  return key
}

function isOver(endMs: number | undefined, nowMs: number): boolean {
  return endMs !== undefined && endMs <= nowMs
}

/**
 * Greater than all others, so that keys are listed in the order in which they were made, also within a millisecond and when the
 * clock steps back. Random, as two processes may make one at the same moment.
 */
async function newKeyId(store: Store, nowMs: number): Promise<string> {
  const last = (await store.keys()).reduce((max, { id }) => Math.max(max, decodeId('key', id) ?? -1), -1)
  return encodeId('key', nextSerial(last, nowMs) + randomInt(SERIALS_PER_MS))
}
