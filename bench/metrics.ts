import { join } from 'node:path'
import { type Load, postRequest, runLoad } from './load.ts'
import { benchFolder, median, type Server, startCrm } from './processes.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 32
/** Short, so that other work of the machine meets both alike. */
const FOR_MS = 1000
const ROUNDS = 25
const SCRAPE_EVERY_MS = 500

const BODY = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@engines.example', company: 'Analytical Engines' })

/** Durable creates a second with `/metrics`, scraped twice a second, and without, in turns. */
export async function measureMetrics(): Promise<Row[]> {
  const folder = benchFolder()
  const off = await startCrm(join(folder, 'off.db'))
  const on = await startCrm(join(folder, 'on.db'), ['--metrics-port', '0'])
  const rounds: { readonly off: number; readonly on: number }[] = []
  let number = 0
  const load = ({ url, key }: Server): Load => ({
    url,
    connections: CONNECTIONS,
    forMs: FOR_MS,
    request: () => postRequest('/v1/contacts', { key, body: BODY, idempotencyKey: `bench-${number++}` }),
  })
  for (const server of [off, on]) await runLoad({ ...load(server), forMs: 1000 })
  for (let round = 0; round < ROUNDS; round++) {
    const perSecond = { off: 0, on: 0 }
    // Each is first in half of the rounds: the one that follows finds the disk busier.
    for (const name of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
      const server = { off, on }[name]
      perSecond[name] = (await whileScraped(server, () => runLoad(load(server)))).perSecond
    }
    rounds.push(perSecond)
  }
  await Promise.all([off.stop(), on.stop()])
  const [ours, theirs] = [median(rounds.map(({ on }) => on)), median(rounds.map(({ off }) => off))]
  return [
    {
      what: 'durable create with --metrics-port, scraped twice a second',
      measured: `${ours.toFixed(0)}/s`,
      peer: `without: ${theirs.toFixed(0)}/s`,
      ratio: median(rounds.map((round) => round.on / round.off)),
      goal: { atLeast: 0.95 },
    },
  ]
}

async function whileScraped<Result>({ ready }: Server, work: () => Promise<Result>): Promise<Result> {
  const url = ready?.metrics_url
  if (url === undefined) return work()
  const timer = setInterval(async () => (await fetch(url)).arrayBuffer(), SCRAPE_EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
