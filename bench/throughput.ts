import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { timeOrderedUuid } from '../src/core/time-ordered-uuid.ts'
import { startJsonServer, writeJsonDatabase } from './json-server.ts'
import { getRequest, type Load, postRequest, runLoad } from './load.ts'
import { benchFolder, cpuSeconds, median, plainEnv, ROOT, type Server, startCrm, startServer } from './processes.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 32
const FOR_MS = 3000
const ROUNDS = 3

const BODY = JSON.stringify({
  name: 'Ada Lovelace',
  email: 'ada@engines.example',
  phone: '+44 20 7946 0101',
  company: 'Analytical Engines',
  owner_id: 'u_ines',
})

/** What one round gave: the CPU of the server is steadier than its requests a second where other programs run. */
interface Used {
  readonly perSecond: number
  /** Of the server for one request. */
  readonly cpuUs: number
}

type Rounds = Readonly<Record<string, Used[]>>

/** Requests a second at 32 connections, the servers in turn: durable creates (FULL), then pages of 100. */
export async function measureThroughput(): Promise<Row[]> {
  const folder = benchFolder()
  const crm = await startCrm(join(folder, 'crm.db'))
  const floor = await startServer(
    [join(ROOT, 'bench/floors/group-commit-server.mjs'), join(folder, 'floor.db')],
    plainEnv(),
  )
  writeJsonDatabase(join(folder, 'db.json'), JSON.parse(BODY), 1000)
  const peer = await startJsonServer(join(folder, 'db.json'))
  const subscriber = await startServer([join(ROOT, 'bench/floors/instant-server.mjs')], plainEnv())
  const subscribed = await startCrm(join(folder, 'subscribed.db'))
  const plain = await startCrm(join(folder, 'plain.db'), ['--history', 'none'])
  await subscribe(subscribed, subscriber.url)
  const created: Rounds = { crm: [], ordered: [], plain: [], subscribed: [], floor: [], peer: [] }
  const listed: Rounds = { crm: [], floor: [], peer: [] }
  const create = (server: Server, path: string, newKey: () => string = randomUUID): Load => ({
    url: server.url,
    connections: CONNECTIONS,
    forMs: FOR_MS,
    request: () => postRequest(path, { key: server.key, body: BODY, idempotencyKey: newKey() }),
  })
  const list = (server: Server, path: string): Load => ({
    url: server.url,
    connections: CONNECTIONS,
    forMs: FOR_MS,
    request: () => getRequest(path, server.key),
  })
  for (let round = 0; round < ROUNDS; round++) {
    created.crm?.push(await use(crm, create(crm, '/v1/contacts')))
    created.ordered?.push(await use(crm, create(crm, '/v1/contacts', timeOrderedUuid)))
    created.plain?.push(await use(plain, create(plain, '/v1/contacts')))
    created.subscribed?.push(await use(subscribed, create(subscribed, '/v1/contacts')))
    created.floor?.push(await use(floor, create(floor, '/')))
    listed.crm?.push(await use(crm, list(crm, '/v1/contacts?limit=100')))
    listed.floor?.push(await use(floor, list(floor, '/')))
    listed.peer?.push(await use(peer, list(peer, '/contacts?_page=1&_per_page=100')))
    created.peer?.push(await use(peer, { ...create(peer, '/contacts'), connections: 8, forMs: 1000 }))
  }
  await Promise.all([crm, plain, subscribed, subscriber, floor, peer].map((server) => server.stop()))
  return [
    perSecondRow('durable create, 32 connections', [created.crm, created.floor], { atLeast: 0.5 }),
    cpuRow('durable create: CPU of the service', [created.crm, created.floor], { atMost: 2.5 }),
    cpuRow('durable create with keys that grow with time: CPU of the service', [created.ordered, created.floor]),
    cpuRow('durable create with --history none: CPU of the service', [created.plain, created.floor], { atMost: 2.5 }),
    perSecondRow('durable create with a subscription: its outbox, signed and delivered', [
      created.subscribed,
      created.floor,
    ]),
    perSecondRow('durable create, beside a file of JSON', [created.crm, created.peer], undefined, 'json-server'),
    perSecondRow('list of 100, 32 connections', [listed.crm, listed.floor], { atLeast: 0.72 }),
    cpuRow('list of 100: CPU of the service', [listed.crm, listed.floor], { atMost: 1.6 }),
    perSecondRow('list of 100, beside a file of JSON', [listed.crm, listed.peer], undefined, 'json-server'),
  ]
}

async function use({ child }: Server, load: Load): Promise<Used> {
  const before = cpuSeconds(child.pid)
  const { count, perSecond } = await runLoad(load)
  return { perSecond, cpuUs: ((cpuSeconds(child.pid) - before) * 1e6) / count }
}

type Both = readonly [ours: Used[] | undefined, theirs: Used[] | undefined]

const FLOOR = 'bare node:http + node:sqlite'

function perSecondRow(what: string, [ours = [], theirs = []]: Both, goal?: Row['goal'], peer = FLOOR): Row {
  const of = (rounds: readonly Used[]) => median(rounds.map(({ perSecond }) => perSecond))
  const ratio = of(ours) / of(theirs)
  return { what, measured: `${of(ours).toFixed(0)}/s`, peer: `${peer}: ${of(theirs).toFixed(0)}/s`, ratio, goal }
}

function cpuRow(what: string, [ours = [], theirs = []]: Both, goal?: Row['goal']): Row {
  const of = (rounds: readonly Used[]) => median(rounds.map(({ cpuUs }) => cpuUs))
  const ratio = of(ours) / of(theirs)
  return { what, measured: `${of(ours).toFixed(0)} us`, peer: `${FLOOR}: ${of(theirs).toFixed(0)} us`, ratio, goal }
}

/** To all that is created, so that each create writes the outbox, and the events leave while others are made. */
async function subscribe({ url, key }: Server, target: string): Promise<void> {
  const answer = await fetch(`${url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: target, events: ['contact.created'] }),
  })
  if (answer.status !== 201) throw new Error(`no subscription: ${answer.status} ${await answer.text()}`)
}
