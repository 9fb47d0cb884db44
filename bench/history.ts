import { join } from 'node:path'
import { startCluster } from '../test/harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../test/harness/postgres/databases.ts'
import { type Load, postRequest, runLoad } from './load.ts'
import { benchFolder, cpuSeconds, median, type Server, startCrm } from './processes.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 32
/** Short, so that other work of the machine meets both alike. */
const FOR_MS = 1000
const ROUNDS = 25

const BODY = JSON.stringify({
  name: 'Ada Lovelace',
  email: 'ada@engines.example',
  phone: '+44 20 7946 0101',
  company: 'Analytical Engines',
  owner_id: 'u_ines',
})

/** Durable creates a second with the history and with `--history none`, in turns, on both databases. */
export async function measureHistory(): Promise<Row[]> {
  const folder = benchFolder()
  const cluster = await startCluster()
  try {
    const server = await prepareServer(cluster)
    return [
      await measureOn('SQLite', async (name) => join(folder, `${name}.db`)),
      await measureOn('PostgreSQL', () => createDatabase(server)),
    ]
  } finally {
    await cluster.remove()
  }
}

interface Used {
  readonly perSecond: number
  /** CPU of the service for one request. */
  readonly us: number
}

async function measureOn(what: string, addressOf: (name: string) => Promise<string>): Promise<Row> {
  const off = await startCrm(await addressOf('off'), ['--history', 'none'])
  const on = await startCrm(await addressOf('on'))
  const rounds: { readonly off: Used; readonly on: Used }[] = []
  for (const server of [off, on]) await createOn(server)
  for (let round = 0; round < ROUNDS; round++) {
    const used: { off?: Used; on?: Used } = {}
    // Each is first in half of the rounds: the one that follows finds the disk busier.
    for (const name of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
      used[name] = await createOn({ off, on }[name])
    }
    if (used.off && used.on) rounds.push({ off: used.off, on: used.on })
  }
  await Promise.all([off.stop(), on.stop()])
  const text = (name: 'off' | 'on'): string => {
    const of = (member: keyof Used) => median(rounds.map((round) => round[name][member])).toFixed(0)
    return `${of('perSecond')}/s (CPU ${of('us')} us)`
  }
  return {
    what: `durable create on ${what} with the history of 90 days`,
    measured: text('on'),
    peer: `--history none: ${text('off')}`,
    ratio: median(rounds.map((round) => round.on.perSecond / round.off.perSecond)),
    goal: { atLeast: 0.9 },
  }
}

let number = 0

async function createOn({ url, key, child }: Server): Promise<Used> {
  const load: Load = {
    url,
    connections: CONNECTIONS,
    forMs: FOR_MS,
    request: () => postRequest('/v1/contacts', { key, body: BODY, idempotencyKey: `bench-${number++}` }),
  }
  const before = cpuSeconds(child.pid)
  const { perSecond } = await runLoad(load)
  return { perSecond, us: ((cpuSeconds(child.pid) - before) * 1e6) / (perSecond * (FOR_MS / 1000)) }
}
