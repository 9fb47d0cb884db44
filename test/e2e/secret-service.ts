import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Env } from '../harness/home.ts'

export const HAS_SECRET_SERVICE =
  spawnSync('gnome-keyring-daemon', ['--version']).status === 0 && spawnSync('dbus-daemon', ['--version']).status === 0

/** A bus of its own, with GNOME's keyring on it, whose collection of this HOME is unlocked or not; gives what a session has in its environment. */
export async function startSecretService(env: Env & { readonly HOME: string }, isUnlocked: boolean): Promise<Env> {
  const runtime = join(env.HOME, 'run')
  mkdirSync(runtime, { recursive: true, mode: 0o700 })
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(bus, 'close')
  // The keyring ends with its bus.
  onTestFinished(async () => {
    bus.kill()
    await ended
  })
  const [address] = await once(bus.stdout.setEncoding('utf8'), 'data')
  const session = { DBUS_SESSION_BUS_ADDRESS: String(address).trim(), XDG_RUNTIME_DIR: runtime }
  const args = isUnlocked ? ['--unlock'] : ['--daemonize']
  execFileSync('gnome-keyring-daemon', [...args, '--components=secrets'], {
    env: { ...env, ...session },
    input: isUnlocked ? 'password' : '',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return session
}
