import { setTimeout } from 'node:timers/promises'
import { type Random, randomFrom } from '../random.ts'
import { runClient } from './clients.ts'
import { type Absence, chooseFault, type Fault, KILLS, type Met, meet } from './faults.ts'
import { type Found, judgeEvents, judgeRecords, type Records } from './judge.ts'
import { type Kind, Ledger, PLURALS } from './ledger.ts'
import { follow, type Reading, readWholeLists } from './readers.ts'
import { insist, type Sending } from './requests.ts'
import { type Overlap, type Subscriber, startSubscriber } from './subscriber.ts'
import { makeWorld, type World } from './world.ts'

export interface TortureOptions {
  readonly crm: string
  readonly kills: number
  readonly failovers: number
  readonly seed: number
  readonly print: (line: string) => void
}

export interface Verdict {
  readonly figures: Readonly<Record<string, number>>
  readonly met: ReadonlyMap<Fault, number>
  /** What was wrong; empty when everything held. */
  readonly faults: readonly string[]
}

const CLIENTS = 8
const LISTED = ['contact', 'deal'] as const

/** Between two faults, so many writes are acknowledged, or so much time passes. */
const WRITES_BETWEEN = 15
const LONGEST_BETWEEN_MS = 20_000

/** Longer than half a claim lasts, after which it is renewed; some of it for a busy machine. */
const RENEWED_MS = 2500

/** PostgreSQL writes what need not be durable at once within three times 200 ms. */
const UNDONE_MS = 1000

/** Longer than a claim of a dead process lasts, and than what waits behind it takes. */
const DELIVERED_MS = 60_000

const SLOWEST_ANSWER_MS = 8000

export async function torture(options: TortureOptions): Promise<Verdict> {
  const random = randomFrom(options.seed)
  const ledger = new Ledger(options.print)
  const subscribers = [await startSubscriber(random, 300), await startSubscriber(random, SLOWEST_ANSWER_MS)]
  const world = await makeWorld(options.crm, (text) => ledger.fault(text))
  const met: Met = { counts: new Map(), absences: [], underWay: new Set() }
  const reading: Reading = { lists: 0, pages: 0 }
  try {
    const sending = { urls: world.services.map(({ url }) => url), apiKey: world.apiKey, random, ledger }
    for (const { url } of subscribers) await subscribe(sending, url)
    const load = startLoad(sending, reading)
    await meetFaults(options, { world, random, met, ledger })
    await Promise.all(met.underWay)
    const followed = await load.end()
    await untilDelivered(world, ledger)
    const records = await readRecords(world)
    judgeRecords(ledger, records)
    for (const [kind, seen] of followed) {
      for (const { id } of records[kind])
        if (!seen.has(id)) ledger.fault(`who follows the list of ${kind}s never saw ${id}`)
    }
    for (const { arrivals } of subscribers) judgeEvents(ledger, records, arrivals.values())
    if (ledger.faults.length > 0) for (const service of world.services) options.print(service.said())
    const overlaps = judgeOverlaps(ledger, subscribers, met.absences)
    return {
      figures: figuresOf({ ledger, reading, subscribers, overlaps, world }),
      met: met.counts,
      faults: ledger.faults,
    }
  } finally {
    await world.end()
    for (const subscriber of subscribers) subscriber.close()
  }
}

async function subscribe(sending: Sending, url: string): Promise<void> {
  const answer = await insist(sending, { method: 'POST', path: '/v1/webhooks', body: { url, events: ['*'] }, key: url })
  if (answer?.status !== 201) throw new Error(`no subscription: ${answer?.status} ${JSON.stringify(answer?.body)}`)
}

function startLoad(sending: Sending, reading: Reading) {
  let isStopping = false
  const isEnding = (): boolean => isStopping
  const clients = Array.from({ length: CLIENTS }, (_, at) => runClient(sending, `c${at}`, isEnding))
  const lists = LISTED.map((kind) => readWholeLists(sending, kind, reading, isEnding))
  let areWritersDone = false
  const followers = LISTED.map(
    async (kind) => [kind, await follow(sending, kind, reading, () => areWritersDone)] as const,
  )
  return {
    end: async () => {
      isStopping = true
      await Promise.all([...clients, ...lists])
      // What was given up may still be under way in a process.
      await setTimeout(1000)
      areWritersDone = true
      return Promise.all(followers)
    },
  }
}

interface Stage {
  readonly world: World
  readonly random: Random
  readonly met: Met
  readonly ledger: Ledger
}

async function meetFaults({ kills, failovers, print }: TortureOptions, stage: Stage): Promise<void> {
  const { world, random, met, ledger } = stage
  const killed = (): number => KILLS.reduce((sum, fault) => sum + (met.counts.get(fault) ?? 0), 0)
  await untilWritten(ledger)
  while (killed() < kills && ledger.faults.length === 0) {
    const done = met.counts.get('failover') ?? 0
    const isFailover = done < failovers && killed() >= ((done + 0.5) * kills) / failovers
    const fault = isFailover ? 'failover' : chooseFault(random)
    await meet(fault, world, random, met)
    await setTimeout(random.between(50, 800))
    await untilWritten(ledger)
    const { acknowledged, givenUp } = ledger.counts
    print(`${killed()} kills, ${acknowledged} writes acknowledged, ${givenUp} given up; ${fault}`)
  }
}

async function untilWritten(ledger: Ledger): Promise<void> {
  const wanted = ledger.counts.acknowledged + WRITES_BETWEEN
  const endMs = performance.now() + LONGEST_BETWEEN_MS
  while (ledger.counts.acknowledged < wanted && performance.now() < endMs) await setTimeout(20)
  if (ledger.counts.acknowledged < wanted) {
    ledger.fault(`fewer than ${WRITES_BETWEEN} writes in ${LONGEST_BETWEEN_MS / 1000} s`)
  }
}

async function untilDelivered(world: World, ledger: Ledger): Promise<void> {
  const endMs = performance.now() + DELIVERED_MS
  for (;;) {
    const { rows } = await world.query(
      `SELECT state, count(*)::int AS count FROM deliveries WHERE state <> 'succeeded' GROUP BY state`,
    )
    if (rows.length === 0) return
    if (performance.now() > endMs) return void ledger.fault(`deliveries do not end: ${JSON.stringify(rows)}`)
    await setTimeout(100)
  }
}

async function readRecords(world: World): Promise<Records> {
  const read = async (kind: Kind): Promise<readonly Found[]> => {
    const { rows } = await world.query(`SELECT text FROM ${PLURALS[kind]}`)
    return rows.map(({ text }) => JSON.parse(text) as Found)
  }
  return { contact: await read('contact'), deal: await read('deal'), note: await read('note') }
}

/** One attempt is sent by two processes at once only after the first could not renew its claim. */
function judgeOverlaps(ledger: Ledger, subscribers: readonly Subscriber[], absences: readonly Absence[]): number {
  const overlaps = subscribers.flatMap((each) => each.overlaps)
  for (const overlap of overlaps) {
    if (!absences.some((absence) => explains(absence, overlap))) {
      ledger.fault(
        `${overlap.eventId} was sent by two processes at once, ${Math.round(overlap.toMs - overlap.fromMs)} ms apart`,
      )
    }
  }
  return overlaps.length
}

function explains({ fromMs, toMs, isCrash }: Absence, overlap: Overlap): boolean {
  if (isCrash && fromMs > overlap.fromMs && fromMs < overlap.fromMs + UNDONE_MS) return true
  return Math.min(toMs, overlap.toMs) - fromMs > RENEWED_MS && toMs > overlap.fromMs && fromMs < overlap.toMs
}

interface Outcome {
  readonly ledger: Ledger
  readonly reading: Reading
  readonly subscribers: readonly Subscriber[]
  readonly overlaps: number
  readonly world: World
}

function figuresOf({ ledger, reading, subscribers, overlaps, world }: Outcome): Verdict['figures'] {
  const sum = (of: (subscriber: Subscriber) => number): number => subscribers.reduce((all, each) => all + of(each), 0)
  const distinct = sum(({ arrivals }) => arrivals.size)
  return {
    'writes acknowledged': ledger.counts.acknowledged,
    'writes given up without an answer': ledger.counts.givenUp,
    'requests sent again': ledger.counts.repeated,
    'reads of one record': ledger.counts.reads,
    'whole lists read': reading.lists,
    'pages read': reading.pages,
    'events delivered': distinct,
    'deliveries repeated': sum(({ requestCount }) => requestCount) - distinct,
    'deliveries at once by two processes': overlaps,
    'starts of services': world.services.reduce((all, { starts }) => all + starts, 0),
  }
}
