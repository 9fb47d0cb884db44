import { onTestFinished } from 'vitest'
import { createKey, type KeyRequest, type MadeKey } from '../../src/service/keys.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/service/server.ts'
import type { KeyScope, Store } from '../../src/service/store/store.ts'
import { openTestStore } from '../harness/database.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}

export interface TestService {
  readonly url: string
  readonly store: Store
  readonly server: RunningServer
  readonly key: MadeKey
  addKey(scopes: readonly KeyScope[], more?: Partial<KeyRequest>): Promise<MadeKey>
  /** Sends JSON with the key of this service by default; an empty header is not sent. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>
}

/** The service on a free port with a new database, closed at the end of the test. */
export async function serveForTest(options: Partial<ServerOptions> = {}): Promise<TestService> {
  const now = options.now ?? Date.now
  const store = await (options.store ?? openTestStore({ now }))
  const server = await startServer({
    store,
    host: '127.0.0.1',
    port: 0,
    rateLimit: undefined,
    now,
    version: '1.2.3',
    ...options,
  })
  onTestFinished(async () => {
    await server.close()
    await store.close()
  })
  const addKey: TestService['addKey'] = (scopes, more) =>
    createKey(store, { name: 'test', scopes, expiresAtMs: undefined, ...more }, now())
  const key = await addKey(['read', 'write'])
  return {
    url: server.url,
    store,
    server,
    key,
    addKey,
    send: (method, path, body, headers) => send(`${server.url}${path}`, { method, body, key: key.text, headers }),
  }
}

interface Sent {
  readonly method: string
  readonly body: unknown
  readonly key: string
  readonly headers: Record<string, string> | undefined
}

async function send(url: string, { method, body, key, headers }: Sent): Promise<Answered> {
  const all = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    redirect: 'error',
    headers: Object.entries(all).filter(([, value]) => value !== ''),
    ...(body !== undefined && { body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text) }
}
