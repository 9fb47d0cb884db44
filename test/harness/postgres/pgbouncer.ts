import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { freePort } from '../free-port.ts'
import { tempFolder } from '../home.ts'
import { findPrograms } from './programs.ts'

const PROGRAM = 'pgbouncer'

/** Of Debian's package `pgbouncer`; it is in a folder that not every PATH has. */
const env = { PATH: `${process.env.PATH}:/usr/sbin` }

export const HAS_PGBOUNCER = spawnSync(PROGRAM, ['--version'], { env }).status === 0

export type PoolMode = 'session' | 'transaction' | 'statement'

/** A pooler before a database, until the end of the test; the address that leads through it. */
export async function poolBefore(address: string, mode: PoolMode, settings: readonly string[] = []): Promise<string> {
  const url = new URL(address)
  const port = await freePort()
  const folder = tempFolder()
  const files = {
    'pgbouncer.ini': iniOf(url, { folder, port, mode, settings }),
    users: `"${url.username}" "${url.password}"\n`,
  }
  const { user } = findPrograms()
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (user) chownSync(file, user.uid, user.gid)
  }
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const child = spawn(PROGRAM, [join(folder, 'pgbouncer.ini')], { ...user, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let said = ''
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  createInterface(child.stderr).on('line', (line) => {
    said += `${line}\n`
    if (line.includes('process up')) resolve()
  })
  const failed = ended.then((): never => {
    throw new Error(`pgbouncer ended: ${said}`)
  })
  failed.catch(() => {})
  await Promise.race([ready, failed])
  url.host = `127.0.0.1:${port}`
  return url.href
}

interface Pool {
  readonly folder: string
  readonly port: number
  readonly mode: PoolMode
  readonly settings: readonly string[]
}

function iniOf({ hostname, port: serverPort }: URL, { folder, port, mode, settings }: Pool): string {
  return [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', `pool_mode = ${mode}`],
    ...['auth_type = scram-sha-256', `auth_file = ${join(folder, 'users')}`, 'server_tls_sslmode = disable'],
    // Fewer than the clients have, so that a transaction gets another connection than the one before.
    ...['max_client_conn = 200', 'default_pool_size = 8', ...settings],
    '',
  ].join('\n')
}
