import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { crmPrints } from '../../../../harness/crm.ts'
import { newPostgres } from '../../../../harness/database.ts'
import { type EventReceiver, type ReceivedEvent, receiveEvents } from '../../../../harness/event-receiver.ts'
import { emptyHome, tempFolder } from '../../../../harness/home.ts'
import {
  type Client,
  create,
  type Filled,
  fillAccount,
  makeClient,
  NAMES,
  PIPELINES,
  passAnHour,
  serveAccount,
} from './account.ts'
import { observe, repeat } from './observe.ts'
import { fillStore, newFile } from './sample-store.ts'
import { schemaOf } from './schema-of.ts'

/** Retries come an hour later, so that deliveries stay open. */
const FLAGS = ['--retry-schedule', '0,1h']

/** Events of 25 contacts, two deals and two notes, all sent once. */
const OPEN = 29

interface Account extends Filled {
  readonly client: Client
  readonly file: string
  readonly hook: EventReceiver
  /** Whether the subscriber accepts events from now on. */
  answer(status: 204 | 500): void
  /** What a client sees. */
  readonly seen: readonly string[]
  readonly replayed: readonly string[]
  readonly others: readonly string[]
}

/** A database of SQLite whose service has stopped, with deliveries that failed once. */
async function makeAccount(): Promise<Account> {
  let status: number = 500
  const hook = await receiveEvents(() => status)
  const folder = tempFolder()
  const [file, pipelines] = [join(folder, 'account.sqlite'), join(folder, 'pipelines.json')]
  writeFileSync(pipelines, JSON.stringify(PIPELINES))
  const client = makeClient()
  const flags = ['--pipelines', pipelines, '--unique', 'contacts.phone', ...FLAGS]
  const service = await serveAccount(client, file, flags)
  const filled = await fillAccount(client, service, hook.url)
  await hook.until((events) => events.length === OPEN)
  await expect
    .poll(() => observe(client, service.url, filled.webhookId).then((all) => all.at(-1)))
    .not.toContain('SENDING')
  const seen = await observe(client, service.url, filled.webhookId)
  // What is compared later is there.
  for (const [at, name] of NAMES.entries()) {
    const page = seen.find((each) => each.startsWith(`/v1/contacts?company=${encodeURIComponent(name)}`))
    expect(page, `${at}`).toContain(`"phone":${JSON.stringify(`${name}/${at}`)}`)
  }
  const replayed = await repeat(client, service.url)
  await service.stop()
  const answer = (next: number) => {
    status = next
  }
  return { ...filled, client, file, hook, answer, seen, replayed, others: await administered(client, file) }
}

/** What an operator sees, without the requests that `observe` itself makes. */
async function administered({ env }: Client, database: string): Promise<readonly string[]> {
  const list = (what: string) => crmPrints(['serve', 'keys', what, '--database', database, '-o', 'json'], env)
  return [await list('list'), await list('audit')]
}

async function copy({ client }: Account, from: string, to: string): Promise<readonly object[]> {
  return JSON.parse(await crmPrints(['serve', 'copy', '--from', from, '--to', to, '-o', 'json'], client.env))
}

/** The account as clients find it, and what the open deliveries bring once they are due. */
async function checkAccount(account: Account, database: string): Promise<void> {
  const { client, hook, secrets, webhookId, seen, replayed } = account
  account.answer(500)
  expect(await administered(client, database)).toEqual(account.others)
  const service = await serveAccount(client, database, FLAGS)
  expect(await observe(client, service.url, webhookId)).toEqual(seen)
  expect(await repeat(client, service.url)).toEqual(replayed)
  await expect(create(client, `${service.url}/v1/contacts`, { name: 'Twin', phone: '😀 Grace/2' })).rejects.toThrow(
    '409',
  )
  const { id = '' } = await create(client, `${service.url}/v1/contacts`, { name: 'New' })
  expect(id > idIn(seen[0])).toBe(true)
  await service.stop()
  await passAnHour(database)
  account.answer(204)
  const before = hook.events.length
  const again = await serveAccount(client, database, FLAGS)
  // With that of the new contact, and that of the changed one, which waited for its first.
  await hook.until((events) => events.length === before + OPEN + 2)
  await again.stop()
  for (const event of hook.events.slice(before)) {
    for (const secret of secrets) new Webhook(secret).verify(event.body, headersOf(event))
    const first = hook.events.find((each) => each.id === event.id)
    expect(event.body).toBe(first?.body)
  }
}

/** The newest contact. */
function idIn(page = ''): string {
  return JSON.parse(page.slice(page.indexOf('{'))).data[0].id
}

function headersOf({ headers }: ReceivedEvent): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]))
}

test('an account is the same for clients and operators on PostgreSQL, and on SQLite again', async () => {
  const account = await makeAccount()
  const [postgres, back] = [await newPostgres('empty'), join(tempFolder(), 'back.sqlite')]
  const there = await copy(account, account.file, postgres)
  expect(await copy(account, postgres, back)).toEqual(there)
  for (const database of [postgres, back]) await checkAccount(account, database)
})

test('a database that was copied has the schema of a new one', async () => {
  const [file, postgres, back] = [newFile('source'), await newPostgres('empty'), newFile('back')]
  await fillStore(file, 1)
  for (const ends of [
    [file, postgres],
    [postgres, back],
  ] as const) {
    await crmPrints(['serve', 'copy', '--from', ends[0], '--to', ends[1]], emptyHome())
  }
  expect(await schemaOf(back)).toEqual(await schemaOf(file))
  expect(await schemaOf(postgres)).toEqual(await schemaOf(await newPostgres('prepared')))
})
