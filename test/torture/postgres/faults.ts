import { setTimeout } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { World } from './world.ts'

/** How often each is met, in a hundred. */
const WEIGHTS = {
  'service killed': 36,
  'PostgreSQL killed': 8,
  'PostgreSQL killed at COMMIT': 8,
  'backend killed': 10,
  'backends terminated': 8,
  'connections cut': 8,
  'COMMIT lost': 7,
  'answer to COMMIT lost': 8,
  'process halted': 4,
  'database slow': 3,
} as const

export type Fault = keyof typeof WEIGHTS | 'failover'

/** kill -9 of a process, of a part of PostgreSQL or of all of it; the others do not count. */
export const KILLS: readonly Fault[] = [
  'service killed',
  'PostgreSQL killed',
  'PostgreSQL killed at COMMIT',
  'backend killed',
  'failover',
]

/** When a process or the database could renew no claim. */
export interface Absence {
  readonly fromMs: number
  toMs: number
  /** What PostgreSQL had not yet on its disk is lost. */
  readonly isCrash: boolean
}

export interface Met {
  readonly counts: Map<Fault, number>
  readonly absences: Absence[]
  /** Services that start again, and processes that are halted. */
  readonly underWay: Set<Promise<void>>
}

export function chooseFault(random: Random): Fault {
  const all = Object.entries(WEIGHTS) as [Fault, number][]
  let left = random.between(0, all.reduce((sum, [, weight]) => sum + weight, 0) - 1)
  for (const [fault, weight] of all) {
    left -= weight
    if (left < 0) return fault
  }
  return 'service killed'
}

/** Makes one fault happen. Services start again meanwhile; the database is back when this returns. */
export async function meet(fault: Fault, world: World, random: Random, met: Met): Promise<void> {
  met.counts.set(fault, (met.counts.get(fault) ?? 0) + 1)
  const at = random.between(0, world.services.length - 1)
  const [service, proxy] = [world.services[at], world.proxies[at]]
  if (!service || !proxy) throw new Error('no such process')
  const later = (work: Promise<void>): void => {
    met.underWay.add(work)
    void work.finally(() => met.underWay.delete(work))
  }
  switch (fault) {
    case 'service killed':
      return later(service.replace(random.between(0, 1500)))
    case 'process halted':
      return later(absent(met, () => service.halt(random.between(1000, 9000)), false))
    case 'PostgreSQL killed':
      return absent(met, () => restart(world, random))
    case 'PostgreSQL killed at COMMIT':
      if (random.chance(0.5)) await atMost(proxy.loseNextCommit(random.pick(['request', 'held'])))
      else await atMost(proxy.nextCommit())
      return absent(met, () => restart(world, random))
    case 'failover':
      return absent(met, () => world.failOver(() => setTimeout(random.between(500, 2000))))
    case 'connections cut':
      for (const each of random.chance(0.3) ? world.proxies : [proxy]) each.cutAll()
      return
    case 'COMMIT lost':
      return later(atMost(proxy.loseNextCommit('request')))
    case 'answer to COMMIT lost':
      return later(atMost(proxy.loseNextCommit('answer')))
    case 'database slow':
      proxy.delay(random.between(50, 300))
      await setTimeout(2000)
      return void proxy.delay(0)
    case 'backend killed':
    case 'backends terminated':
      return absent(met, () => endBackends(world, random, fault === 'backend killed'))
  }
}

/** A process that is halted or starts has no COMMIT. */
async function atMost(met: Promise<void>): Promise<void> {
  await Promise.race([met, setTimeout(2000)])
}

async function absent(met: Met, work: () => Promise<void>, isCrash = true): Promise<void> {
  const absence = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY, isCrash }
  met.absences.push(absence)
  await work().finally(() => {
    absence.toMs = performance.now()
  })
}

async function restart(world: World, random: Random): Promise<void> {
  const cluster = world.cluster()
  await cluster.kill()
  await setTimeout(random.between(0, 1500))
  await cluster.start()
}

const BACKENDS = `SELECT pid FROM pg_stat_activity WHERE usename = 'crm' AND datname = current_database()`

async function endBackends(world: World, random: Random, isKilled: boolean): Promise<void> {
  if (!isKilled) {
    await world.query(`SELECT pg_terminate_backend(pid) FROM (${BACKENDS}) AS found WHERE random() < 0.5`)
    return
  }
  const { rows } = await world.query(BACKENDS)
  const pid = (random.pick(rows) as { pid?: number } | undefined)?.pid
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
  // All others end with it, and the database recovers.
  await untilAnswering(world)
}

async function untilAnswering(world: World): Promise<void> {
  for (;;) {
    await setTimeout(100)
    try {
      await world.query('SELECT 1')
      return
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}
