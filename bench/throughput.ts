import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { getRequest, type Load, postRequest, runLoad } from './load.ts'
import { benchFolder, median, plainEnv, ROOT, type Server, startCrm, startServer } from './processes.ts'
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

/** Requests a second at 32 connections, the servers in turn: durable creates (FULL), then pages of 100. */
export async function measureThroughput(): Promise<Row[]> {
  const folder = benchFolder()
  const crm = await startCrm(join(folder, 'crm.db'))
  const floor = await startServer(
    [join(ROOT, 'bench/floors/group-commit-server.mjs'), join(folder, 'floor.db')],
    plainEnv(),
  )
  const peer = await startJsonServer(folder)
  const subscriber = await startServer([join(ROOT, 'bench/floors/instant-server.mjs')], plainEnv())
  const subscribed = await startCrm(join(folder, 'subscribed.db'))
  await subscribe(subscribed, subscriber.url)
  const created: Record<string, number[]> = { crm: [], subscribed: [], floor: [], peer: [] }
  const listed: Record<string, number[]> = { crm: [], floor: [], peer: [] }
  let number = 0
  const create = (server: Server, path: string): Load => ({
    url: server.url,
    connections: CONNECTIONS,
    forMs: FOR_MS,
    request: () => postRequest(path, { key: server.key, body: BODY, idempotencyKey: `bench-${number++}` }),
  })
  const list = (server: Server, path: string): Load => ({
    url: server.url,
    connections: CONNECTIONS,
    forMs: FOR_MS,
    request: () => getRequest(path, server.key),
  })
  for (let round = 0; round < ROUNDS; round++) {
    created.crm?.push((await runLoad(create(crm, '/v1/contacts'))).perSecond)
    created.subscribed?.push((await runLoad(create(subscribed, '/v1/contacts'))).perSecond)
    created.floor?.push((await runLoad(create(floor, '/'))).perSecond)
    listed.crm?.push((await runLoad(list(crm, '/v1/contacts?limit=100'))).perSecond)
    listed.floor?.push((await runLoad(list(floor, '/'))).perSecond)
    listed.peer?.push((await runLoad(list(peer, '/contacts?_page=1&_per_page=100'))).perSecond)
    created.peer?.push((await runLoad({ ...create(peer, '/contacts'), connections: 8, forMs: 1000 })).perSecond)
  }
  await Promise.all([crm, subscribed, subscriber, floor, peer].map((server) => server.stop()))
  const row = (what: string, all: Record<string, number[]>, beside: string, goal: Row['goal']): Row => {
    const [ours, theirs] = [median(all.crm ?? []), median(all[beside] ?? [])]
    const name = beside === 'floor' ? 'bare node:http + node:sqlite' : 'json-server'
    return {
      what,
      measured: `${ours.toFixed(0)}/s`,
      peer: `${name}: ${theirs.toFixed(0)}/s`,
      ratio: ours / theirs,
      goal,
    }
  }
  return [
    row('durable create, 32 connections', created, 'floor', { atLeast: 0.35 }),
    row(
      'durable create with a subscription: its outbox, signed and delivered',
      { ...created, crm: created.subscribed ?? [] },
      'floor',
      undefined,
    ),
    row('durable create, beside a file of JSON', created, 'peer', undefined),
    row('list of 100, 32 connections', listed, 'floor', { atLeast: 0.5 }),
    row('list of 100, beside a file of JSON', listed, 'peer', undefined),
  ]
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

/** The peer that people reach for first. It rewrites its file with every create. */
async function startJsonServer(folder: string): Promise<Server> {
  const file = join(folder, 'db.json')
  const contacts = Array.from({ length: 1000 }, (_, id) => ({ id: `${id}`, ...JSON.parse(BODY) }))
  writeFileSync(file, JSON.stringify({ contacts }))
  const port = await freePort()
  const bin = join(ROOT, 'node_modules/json-server/lib/bin.js')
  const child = spawn(process.execPath, [bin, file, '--port', `${port}`, '--host', '127.0.0.1'], {
    env: plainEnv(),
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}/contacts/1`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`json-server ended with exit ${child.exitCode}`)
    await setTimeout(50)
  }
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { url, key: '', child, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
