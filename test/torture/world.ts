import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Disk } from './disk.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { emptyEnv, type Service, startService } from './processes.ts'
import type { Random } from './random.ts'
import type { ServerKind } from './server-kind.ts'

/** Where the client lives: a home, a proxy that breaks things, and a service behind it that comes and goes. */
export interface World {
  readonly folder: string
  readonly jobsFolder: string
  readonly stateFolder: string
  /** Of the system calls of the last life. */
  readonly callLog: string
  /** Under the state of the client, in all its lives. */
  readonly disk: Disk
  readonly key: string
  readonly env: Readonly<Record<string, string>>
  readonly proxy: FaultyProxy
  /** The service itself, past the proxy. */
  serviceUrl(): string
  /** kill -9, and another one on the same database a moment later. */
  replaceService(): Promise<void>
  /** The clock of the service goes ahead, once nothing is under way: no request lives that long. */
  jumpClock(byMs: number): Promise<void>
  /** What is left of it stays on the disk where something was wrong. */
  end(isKept: boolean): Promise<void>
}

export async function makeWorld(serviceCrm: string, kind: ServerKind, random: Random): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-torture-'))
  const [home, state, keyFile] = [join(folder, 'home'), join(folder, 'state'), join(folder, 'key')]
  mkdirSync(home)
  const key = `crm_key_${randomBytes(32).toString('base64url')}`
  writeFileSync(keyFile, key, { mode: 0o600 })
  let clockShiftMs = 0
  const start = () => startService({ crm: serviceCrm, home, database: join(folder, 'crm.db'), keyFile, clockShiftMs })
  let service: Service | undefined = await start()
  const proxy = await startFaultyProxy({
    kind,
    random,
    target: () => service?.url,
    clockShiftMs: () => clockShiftMs,
  })
  const connector = join(folder, 'torture.yaml')
  writeFileSync(connector, FORGETFUL)
  const kill = async (signal: NodeJS.Signals) => {
    const dying = service
    service = undefined
    await dying?.kill(signal)
  }
  return {
    folder,
    jobsFolder: join(state, 'jobs'),
    stateFolder: state,
    callLog: join(folder, 'calls'),
    disk: new Disk(state),
    key,
    env: {
      ...emptyEnv(home),
      CRM_BASE_URL: proxy.url,
      CRM_API_KEY: key,
      CRM_STATE_HOME: state,
      ...(kind === 'keeps-keys' ? {} : { CRM_CONNECTOR: connector }),
    },
    proxy,
    serviceUrl: () => {
      if (!service) throw new Error('the service is down')
      return service.url
    },
    replaceService: async () => {
      await kill('SIGKILL')
      await setTimeout(random.between(0, 300))
      service = await start()
    },
    jumpClock: async (byMs) => {
      await proxy.settled()
      await kill('SIGKILL')
      clockShiftMs += byMs
      service = await start()
    },
    end: async (isKept) => {
      proxy.close()
      await kill('SIGTERM')
      if (!isKept) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A server of which it is unknown whether it keeps keys. Nothing is delivered later than half a second after its reset, and what may
 * have happened is looked for behind this.
 */
const FORGETFUL = `connector: 2
name: torture
extends: crm
idempotency: { life: 2s, kept: [Idempotency-Policy, Idempotent-Replayed] }
`
