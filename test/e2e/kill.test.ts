import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { receiveEvents } from '../harness/event-receiver.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { ask } from '../harness/records.ts'
import { serve, startService } from './service.ts'

const KILLS = 50
const CLIENTS = 6

interface Contact {
  readonly id: string
  readonly n: number
}

/**
 * Clients that make one contact after the other. One whose request broke off sends it again, under its idempotency key,
 * to the service that lives next.
 */
function startClients(key: string) {
  const acknowledged = new Map<number, string>()
  let life = Promise.withResolvers<string>()
  let isStopped = false
  const make = async (n: number): Promise<void> => {
    const request = { path: '/v1/contacts', body: { n }, headers: { 'idempotency-key': `contact-${n}` } }
    while (!acknowledged.has(n)) {
      const url = await life.promise
      try {
        const { status, body } = await ask({ url, key }, { method: 'POST', ...request })
        expect(status).toBe(201)
        acknowledged.set(n, String(body.id))
      } catch (error) {
        // What fetch throws when the other side is gone.
        if (!(error instanceof TypeError)) throw error
      }
    }
  }
  const run = async (start: number): Promise<void> => {
    for (let n = start; !isStopped; n += CLIENTS) await make(n)
  }
  const done = Promise.all(Array.from({ length: CLIENTS }, (_, start) => run(start)))
  return {
    acknowledged,
    /** The service that takes requests from now on; undefined: there is none. */
    use: (url: string | undefined) => {
      if (url === undefined) life = Promise.withResolvers()
      else life.resolve(url)
    },
    finish: async () => {
      isStopped = true
      await done
    },
  }
}

async function allContacts(url: string, key: string): Promise<Contact[]> {
  const contacts: Contact[] = []
  let cursor = ''
  do {
    const { body } = await ask({ url, key }, { path: `/v1/contacts?limit=500${cursor}` })
    contacts.push(...(body.data as Contact[]))
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (cursor !== '')
  return contacts
}

function eventsKept(database: string): unknown {
  const reader = new DatabaseSync(database, { readOnly: true })
  onTestFinished(() => reader.close())
  return reader.prepare('SELECT count(DISTINCT record_id) AS records, count(*) AS events FROM deliveries').get()
}

test(`after ${KILLS} kills -9 under a stream of creates no contact and no event is lost, and no contact is double`, async () => {
  const receiver = await receiveEvents()
  const args = ['--database', join(tempFolder(), 'crm.db'), '--rate-limit', 'none']
  const first = await startService(args)
  const { key, database } = first
  await ask(first, { method: 'POST', path: '/v1/webhooks', body: { url: receiver.url, events: ['*'] } })
  await first.stop('SIGKILL')

  const clients = startClients(key)
  const home = emptyHome()
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await serve(args, home)
    clients.use(service.url)
    await setTimeout(50 + ((kill * 37) % 100))
    clients.use(undefined)
    expect(await service.stop('SIGKILL')).toBe('SIGKILL')
  }
  const last = await serve(args, home)
  clients.use(last.url)
  await clients.finish()

  const contacts = await allContacts(last.url, key)
  const ids = new Set(contacts.map(({ id }) => id))
  expect([...clients.acknowledged.values()].filter((id) => !ids.has(id))).toEqual([])
  expect(new Set(contacts.map(({ n }) => n)).size).toBe(contacts.length)
  expect(contacts.length).toBe(clients.acknowledged.size)
  expect(eventsKept(database)).toEqual({ records: contacts.length, events: contacts.length })
  await receiver.until((events) => new Set(events.map(({ id }) => id)).size === contacts.length)
  const delivered = new Set(receiver.events.map(({ body }) => JSON.parse(body).data.id))
  expect(delivered).toEqual(ids)
})
