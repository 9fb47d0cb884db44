import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { freePort } from '../../harness/free-port.ts'
import { type Cluster, startCluster, startStandby } from '../../harness/postgres/cluster.ts'
import { administer, createDatabase, prepareServer } from '../../harness/postgres/databases.ts'
import { emptyEnv } from '../processes.ts'
import { type CutProxy, startCutProxy } from './cut-proxy.ts'
import { type ServiceProcess, serviceProcess } from './service-process.ts'

const PROCESSES = 3

/** The database, a proxy before it for each process, and the processes. */
export interface World {
  readonly apiKey: string
  readonly services: readonly ServiceProcess[]
  readonly proxies: readonly CutProxy[]
  /** The primary of this time. */
  cluster(): Cluster
  /** As the superuser, in the database of the services. */
  query(sql: string): Promise<pg.QueryResult>
  /** A standby takes the place of the primary, which is killed. Returns once the standby takes writes. */
  failOver(duringCopy: () => Promise<void>): Promise<void>
  end(): Promise<void>
}

export async function makeWorld(crm: string, onFault: (text: string) => void): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-torture-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  const keyFile = join(folder, 'key')
  const apiKey = `crm_key_${randomBytes(32).toString('base64url')}`
  writeFileSync(keyFile, apiKey, { mode: 0o600 })
  let cluster = await startCluster()
  const uri = new URL(await createDatabase(await prepareServer(cluster)))
  const proxies: CutProxy[] = []
  const services: ServiceProcess[] = []
  for (let at = 0; at < PROCESSES; at++) {
    const proxy = await startCutProxy(() => ({ host: cluster.host, port: cluster.port }))
    uri.port = `${proxy.port}`
    const env = { ...emptyEnv(home), CRM_DATABASE_URL: uri.href }
    services.push(serviceProcess({ crm, port: await freePort(), keyFile, env }, onFault))
    proxies.push(proxy)
  }
  for (const service of services) await service.start()
  return {
    apiKey,
    services,
    proxies,
    cluster: () => cluster,
    query: (sql) => administer(cluster, sql, uri.pathname.slice(1)),
    failOver: async (duringCopy) => {
      const old = cluster
      const standby = await startStandby(old)
      await followInStep(old)
      await duringCopy()
      await old.kill()
      cluster = standby
      // Until then, it can be read.
      await setTimeout(300)
      await administer(standby, 'SELECT pg_promote()')
      await old.remove()
    },
    end: async () => {
      await Promise.all(services.map((service) => service.end()))
      for (const proxy of proxies) proxy.close()
      await cluster.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** From then on, a commit waits for the standby. */
async function followInStep(primary: Cluster): Promise<void> {
  await administer(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await administer(primary, 'SELECT pg_reload_conf()')
  for (;;) {
    const { rows } = await administer(primary, `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
    if (rows.length > 0) return
    await setTimeout(100)
  }
}
