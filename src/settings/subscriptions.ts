import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { type DocumentFile, damaged, objectIn, replaceIn } from './document.ts'

/** A subscription of this machine, with the secret that the server showed once. */
export interface Subscription {
  /** Undefined when the server returned none. */
  readonly id: string | undefined
  readonly secret: string
}

export interface KeptSubscription extends Subscription {
  /** Secrets of earlier subscriptions to the same address, newest first: those may still send. */
  readonly olderSecrets: readonly string[]
}

/** The server of the subscription and the address it sends to. */
export interface SubscriptionPlace {
  readonly origin: string
  readonly url: string
}

/** Each costs a signature check for every forged delivery. */
const MAX_OLDER = 10

/** CrmError `invalid_input` for a malformed entry, without its contents. */
export async function readSubscription(
  file: DocumentFile,
  { origin, url }: SubscriptionPlace,
): Promise<KeptSubscription | undefined> {
  const urls = objectIn(await file.read(), origin, file.path)
  const stored = Object.hasOwn(urls, url) ? urls[url] : undefined
  if (stored === undefined) return undefined
  const kept = keptIn(stored)
  if (!kept) throw damaged(file.path, `${origin} ${url} is not an object with a secret`)
  return kept
}

/** The subscription with this id or address, of any server. */
export async function findSubscription(
  file: DocumentFile,
  wanted: { readonly id: string } | { readonly url: string },
): Promise<KeptSubscription | undefined> {
  for (const urls of Object.values(await file.read())) {
    for (const [url, stored] of Object.entries(isJsonObject(urls) ? urls : {})) {
      const kept = keptIn(stored)
      if (kept && ('id' in wanted ? kept.id === wanted.id : url === wanted.url)) return kept
    }
  }
  return undefined
}

/** Of all servers and addresses. */
export async function listSubscriptions(
  file: DocumentFile,
): Promise<readonly (KeptSubscription & SubscriptionPlace)[]> {
  return Object.entries(await file.read()).flatMap(([origin, urls]) =>
    Object.entries(isJsonObject(urls) ? urls : {}).flatMap(([url, stored]) => {
      const kept = keptIn(stored)
      return kept ? [{ ...kept, origin, url }] : []
    }),
  )
}

/** Keeps the secret of an earlier subscription to the address as an older secret. */
export async function writeSubscription(
  file: DocumentFile,
  place: SubscriptionPlace,
  { id, secret }: Subscription,
): Promise<void> {
  await file.update((document) => {
    const { origin, url } = place
    const urls = objectIn(document, origin, file.path)
    const before = keptIn(Object.hasOwn(urls, url) ? urls[url] : undefined)
    const older = before ? [before.secret, ...before.olderSecrets].slice(0, MAX_OLDER) : []
    const stored: JsonObject = { ...(id !== undefined && { id }), secret, ...(older.length > 0 && { older }) }
    return replaceIn(document, [origin, url], stored)
  })
}

function keptIn(stored: JsonValue | undefined): KeptSubscription | undefined {
  if (!isJsonObject(stored) || typeof stored.secret !== 'string') return undefined
  const older = Array.isArray(stored.older) ? stored.older : []
  return {
    id: typeof stored.id === 'string' ? stored.id : undefined,
    secret: stored.secret,
    olderSecrets: older.filter((secret) => typeof secret === 'string'),
  }
}
