import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { freePort } from '../../../harness/free-port.ts'
import { type Cluster, startCluster } from '../../../harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../../../harness/postgres/databases.ts'
import { findPrograms } from '../../../harness/postgres/programs.ts'
import { creation } from '../samples.ts'

/** A hot standby of a cluster as it is now. Returns its port. */
async function startStandby({ host, port, user, password }: Cluster): Promise<number> {
  const { pathOf, user: owner } = findPrograms()
  const folder = await mkdtemp(join(tmpdir(), 'crm-standby-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  if (owner) await chown(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', PGPASSWORD: password }
  const from = ['-h', host, '-p', `${port}`, '-U', user, '--checkpoint=fast', '--write-recovery-conf', '-D', data]
  await promisify(execFile)(pathOf('pg_basebackup'), from, { ...owner, env, cwd: folder })
  const standbyPort = await freePort()
  const settings = [
    `listen_addresses=${host}`,
    `port=${standbyPort}`,
    'unix_socket_directories=',
    'max_connections=200',
  ]
  const flags = settings.flatMap((setting) => ['-c', setting])
  const child = spawn(pathOf('postgres'), ['-D', data, ...flags], {
    ...owner,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    const ended = once(child, 'close')
    child.kill('SIGQUIT')
    await ended
  })
  for await (const line of createInterface(child.stderr)) if (line.includes('ready to accept')) return standbyPort
  throw new Error('the standby ended')
}

test('a standby is open to what reads, and refused to a service', { timeout: 60_000 }, async () => {
  const cluster = await startCluster()
  onTestFinished(() => cluster.remove())
  const address = await createDatabase(await prepareServer(cluster))
  const primary = await openStore({ address, now: Date.now })
  onTestFinished(() => primary.close())
  await primary.write(creation('contact', { name: 'Ada' }))
  const standby = address.replace(`:${cluster.port}/`, `:${await startStandby(cluster)}/`)

  const reading = await openStore({ address: standby, now: Date.now, isCreated: false, isOnlyRead: true })
  onTestFinished(() => reading.close())
  expect((await reading.stats()).records.contact).toBe(1)
  await expect(openStore({ address: standby, now: Date.now, sharesClock: true })).rejects.toMatchObject({
    code: 'machine',
    message: expect.stringContaining('can only be read: it is a standby'),
  })
})
