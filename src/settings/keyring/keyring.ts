import { existsSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Env } from '../../core/streams.ts'
import { type KeyringTask, noKeyring } from './keyring-task.ts'

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
    const { askKeyring } = await import('./ask-keyring.ts')
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
