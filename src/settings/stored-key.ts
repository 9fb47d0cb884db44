import { existsSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { damaged } from './document.ts'
import { type KeyringTask, noKeyring } from './keyring/keyring-task.ts'

// Keys that are stored: in keys.json, or in the keyring of the system, which keys.json then names.

/** A stored key, bound to its origin and never sent to another one. */
export interface StoredKey {
  readonly origin: string
  readonly key: string
}

/** A key in the system keyring, under the name `account`. */
export interface KeyringEntry {
  readonly origin: string
  readonly account: string
}

/** CrmError `invalid_input` for a malformed entry, without its contents. */
export function readStoredKey(document: JsonObject, name: string, path: string): StoredKey | undefined {
  const { origin, key } = entryIn(document, name, path) ?? {}
  return origin === undefined || key === undefined ? undefined : { origin, key }
}

/** Like readStoredKey, for a key that the file records as stored in the keyring. */
export function readKeyringEntry(document: JsonObject, name: string, path: string): KeyringEntry | undefined {
  const { origin, keyring: account } = entryIn(document, name, path) ?? {}
  return origin === undefined || account === undefined ? undefined : { origin, account }
}

interface Entry {
  readonly origin: string
  readonly key?: string
  readonly keyring?: string
}

function entryIn(document: JsonObject, name: string, path: string): Entry | undefined {
  if (!Object.hasOwn(document, name)) return undefined
  const entry = document[name]
  if (isJsonObject(entry) && typeof entry.origin === 'string') {
    const { origin, key, keyring } = entry
    if (typeof key === 'string' && typeof keyring === 'string') return { origin, key, keyring }
    if (typeof key === 'string' && keyring === undefined) return { origin, key }
    if (typeof keyring === 'string' && key === undefined) return { origin, keyring }
  }
  throw damaged(path, `${name} is not an object with origin and key`)
}

/** Stored with its origin, so that a changed keys.json cannot redirect the key. Neither contains a blank. */
export function keyringSecret({ origin, key }: StoredKey): string {
  return `${origin} ${key}`
}

/** Undefined when it is missing, or its origin differs from the one in keys.json. CrmError `machine` when the keyring fails. */
export async function readFromKeyring(keyring: Keyring, entry: KeyringEntry): Promise<StoredKey | undefined> {
  const [origin, key] = (await keyring.read(entry.account))?.split(' ') ?? []
  return key !== undefined && origin === entry.origin ? { origin, key } : undefined
}

/** How a person finds it. */
export function keyringPlace(account: string): string {
  return `the system keyring (crm, ${account})`
}

/** For all tasks of a process: a keyring that hangs costs this time once. */
const BUDGET_MS = 3000

/** The system keyring. Every method rejects with CrmError `machine` when there is none or it does not answer in time. */
export interface Keyring {
  /** Undefined: no entry of this name. The result is cached. */
  read(account: string): Promise<string | undefined>
  write(account: string, secret: string): Promise<void>
  /** False when there was no entry. */
  remove(account: string): Promise<boolean>
}

/** `program` runs the tasks; without it there is no keyring. Nothing is loaded or started before the first task. */
export function openKeyring(env: Env, program: string | undefined, budgetMs: number = BUDGET_MS): Keyring {
  const known = new Map<string, Promise<string | undefined>>()
  let leftMs = budgetMs

  async function ask(task: KeyringTask): Promise<unknown> {
    if (program === undefined || !hasService(env)) throw noKeyring('there is none in this session')
    if (leftMs <= 0) throw noKeyring('it did not answer an earlier request')
    const { askKeyring } = await import('./keyring/ask-keyring.ts')
    const startMs = performance.now()
    try {
      return await askKeyring({ program, env, timeoutMs: leftMs }, task)
    } finally {
      leftMs -= performance.now() - startMs
    }
  }

  async function read(account: string): Promise<string | undefined> {
    const value = await ask({ task: 'read', account })
    return typeof value === 'string' ? value : undefined
  }

  return {
    read: (account) => {
      const reading = known.get(account) ?? read(account)
      known.set(account, reading)
      return reading
    },
    write: async (account, secret) => {
      known.delete(account)
      await ask({ task: 'write', account, secret })
    },
    remove: async (account) => {
      known.delete(account)
      return (await ask({ task: 'remove', account })) === true
    },
  }
}

/** On Linux the Secret Service is reachable only through the session bus. */
function hasService(env: Env): boolean {
  if (platform() !== 'linux' || env.DBUS_SESSION_BUS_ADDRESS) return true
  return Boolean(env.XDG_RUNTIME_DIR) && existsSync(join(env.XDG_RUNTIME_DIR ?? '', 'bus'))
}
