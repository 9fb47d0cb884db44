import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isPostgresUri } from '../../../../../src/core/database-uri.ts'
import { crmPrints } from '../../../../harness/crm.ts'
import { connectTo } from '../../../../harness/database.ts'
import { type Env, emptyHome, tempFolder } from '../../../../harness/home.ts'
import { newKey, type Serving, serve } from '../../../../harness/service.ts'

/** A client of one account, whatever database holds it. */
export interface Client {
  readonly key: string
  readonly env: Env
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export function makeClient(): Client {
  return { key: newKey(), env: emptyHome() }
}

/** `crm serve` on a database; the first one of an account gives it its key. */
export async function serveAccount(client: Client, database: string, flags: readonly string[] = []): Promise<Serving> {
  const keyFile = join(tempFolder(), 'key')
  writeFileSync(keyFile, `${client.key}\n`, { mode: 0o600 })
  return serve(['--database', database, '--key-file', keyFile, ...flags], client.env)
}

interface Request {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export async function send(
  { key }: Client,
  url: string,
  { method = 'GET', body, headers }: Request = {},
): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...type, ...headers },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return { status: response.status, headers: response.headers, text }
}

/** The record that a POST made. */
export async function create(client: Client, url: string, body: object, key?: string): Promise<Record<string, string>> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  return JSON.parse((await send(client, url, { method: 'POST', body: JSON.stringify(body), headers })).text)
}

export async function graphql(client: Client, url: string, query: string, variables: object): Promise<string> {
  const body = JSON.stringify({ query, variables })
  return (await send(client, `${url}/v1/graphql`, { method: 'POST', body })).text
}

export const LONG = `Ünïcode ${'x'.repeat(400)}`

/** Texts that PostgreSQL keeps in another form in columns of filters. */
export const NAMES = ['Ada \u0000 Lovelace', 'U+0001 \u0001 and \u00010', '😀 Grace', LONG]

export const PIPELINES = {
  pipelines: [
    {
      id: 'late',
      name: 'Late',
      stages: [
        { id: 'b', name: 'Second' },
        { id: 'a', name: 'First', probability: 0.1 },
      ],
    },
    { id: 'early', name: 'Early', stages: [{ id: 'c', name: 'Only' }] },
  ],
}

const ROTATION = 'mutation ($id: ID!) { rotateWebhookSecret(input: {id: $id, overlapSeconds: 3600}) { secret } }'

export interface Filled {
  /** The secrets of the subscription, the newest last. */
  readonly secrets: readonly string[]
  readonly webhookId: string
}

/** Contacts, deals with notes, a subscription with a rotated secret, keys. */
export async function fillAccount(client: Client, { url, database }: Serving, hook: string): Promise<Filled> {
  const contacts = `${url}/v1/contacts`
  for (const [at, name] of NAMES.entries())
    await create(client, contacts, { name, company: name, phone: `${name}/${at}` })
  const digits = '{"name":"Digits","custom":12345678901234567890.123400,"escaped":"\\u00e9\\/"}'
  await send(client, contacts, { method: 'POST', body: digits })
  const { id = '', secret = '' } = await create(client, `${url}/v1/webhooks`, { url: hook, events: ['*'] })
  const rotated = JSON.parse(await graphql(client, url, ROTATION, { id })).data.rotateWebhookSecret.secret
  for (let at = 0; at < 25; at++) await create(client, contacts, manyth(at), `many-${at}`)
  for (const stage of ['Second', 'First']) {
    const deal = await create(client, `${url}/v1/deals`, { name: LONG, stage, pipeline_id: 'late', amount: 0.1 })
    await create(client, `${url}/v1/deals/${deal.id}/notes`, { body: `note of ${stage}` })
  }
  const first = JSON.parse((await send(client, `${contacts}?limit=1`)).text).data[0]
  await send(client, `${contacts}/${first.id}`, { method: 'PATCH', body: '{"name":"Changed"}' })
  await addKeys(client, database)
  return { secrets: [secret, rotated], webhookId: id }
}

/** The body that was sent with the idempotency key `many-AT`. */
export function manyth(at: number): object {
  return { name: `Many ${at}`, owner_id: `u_${at % 3}` }
}

async function addKeys({ env }: Client, database: string): Promise<void> {
  const key = ['serve', 'keys', 'create', '--database', database, '-o', 'json', '--name']
  await crmPrints([...key, 'limited', '--rate', '100/10s', '--scopes', 'read'], env)
  await crmPrints([...key, 'unlimited', '--rate', 'none', '--expires-in', '90d'], env)
  const { id } = JSON.parse(await crmPrints([...key, 'revoked'], env))
  await crmPrints(['serve', 'keys', 'revoke', id, '--database', database], env)
}

/** What waits for an hour is due. */
export async function passAnHour(database: string): Promise<void> {
  const sql = 'UPDATE deliveries SET next_at_ms = next_at_ms - 3600000'
  if (isPostgresUri(database)) await (await connectTo(database)).query(sql)
  else {
    const connection = new DatabaseSync(database)
    connection.exec(sql)
    connection.close()
  }
}
