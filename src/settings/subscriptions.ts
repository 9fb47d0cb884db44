import { isJsonObject, type JsonObject } from '../core/json.ts'
import { damaged, objectIn, replaceIn } from './document.ts'
import type { DocumentFile } from './document-file.ts'

/** A subscription of this machine, with the secret that the server showed once. */
export interface Subscription {
  /** Undefined when the server named none. */
  readonly id: string | undefined
  readonly secret: string
}

/** It belongs to the server that made it and to the address it sends to. */
export interface SubscriptionPlace {
  readonly origin: string
  readonly url: string
}

/** CrmError `invalid_input` when the file holds something else there; what, is not said. */
export async function readSubscription(
  file: DocumentFile,
  { origin, url }: SubscriptionPlace,
): Promise<Subscription | undefined> {
  const urls = objectIn(await file.read(), origin, file.path)
  const stored = Object.hasOwn(urls, url) ? urls[url] : undefined
  if (stored === undefined) return undefined
  if (isJsonObject(stored) && typeof stored.secret === 'string') {
    return { id: typeof stored.id === 'string' ? stored.id : undefined, secret: stored.secret }
  }
  throw damaged(file.path, `${origin} ${url} is not an object with a secret`)
}

export async function writeSubscription(
  file: DocumentFile,
  { origin, url }: SubscriptionPlace,
  { id, secret }: Subscription,
): Promise<void> {
  const stored: JsonObject = id === undefined ? { secret } : { id, secret }
  await file.update((document) => replaceIn(document, [origin, url], stored))
}
