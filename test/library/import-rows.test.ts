import { existsSync } from 'node:fs'
import { expect, onTestFinished, vi } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { createClient } from '../../src/library/create-client.ts'
import { crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import type { Service } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

// The build sets it.
vi.stubGlobal('CRM_VERSION', '0.0.0')

function clientOf(service: Service, home = emptyHome()) {
  const client = createClient({ baseUrl: service.url, apiKey: service.key, env: home })
  onTestFinished(() => client.close())
  return client
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

async function* people(run: string, count: number) {
  for (let at = 1; at <= count; at++) yield { name: `${run} ${at}`, email: `${run}${at}@example.test` }
}

async function failure(call: Promise<unknown>): Promise<CrmError> {
  const error = await call.catch((thrown: unknown) => thrown)
  if (error instanceof CrmError) return error
  throw new Error('it did not fail with a CrmError', { cause: error })
}

test('rows of an async iterable are sent once, whatever how often they are imported', async ({ service }) => {
  const client = clientOf(service)
  const seen: number[] = []
  const onProgress = ({ done }: { readonly done: number }) => seen.push(done)
  const first = await client.jobs.importRows('contacts', people('once', 5), { runId: 'once', onProgress })
  expect(first).toMatchObject({ rows: 5, done: 5 })
  expect(seen.at(-1)).toBe(5)
  expect(await client.jobs.importRows('contacts', people('once', 5), { runId: 'once' })).toEqual(first)
  const found = await all(client.contacts.list({ filters: { email: 'once1@example.test' } }))
  expect(found).toHaveLength(1)
})

test('a stopped import goes on where it stopped, and the command line sees its job', async ({ service }) => {
  const home = emptyHome()
  const client = clientOf(service, home)
  const stop = new AbortController()
  const onProgress = ({ done }: { readonly done: number }) => done >= 3 && stop.abort()
  const error = await failure(
    client.jobs.importRows('contacts', people('go', 40), {
      runId: 'go',
      concurrency: 1,
      onProgress,
      signal: stop.signal,
    }),
  )
  expect(error.code).toBe('interrupted')
  const job = error.details.job ?? ''
  const env = { ...home, CRM_BASE_URL: service.url, CRM_API_KEY: service.key }
  const shown = JSON.parse(await crmPrints(['jobs', 'show', job, '-o', 'json'], env))
  expect(shown).toMatchObject({ state: 'stopped' })
  expect(await client.jobs.resume(job)).toMatchObject({ job, rows: 40, done: 40 })
  const found = await all(client.contacts.list())
  expect(found.filter(({ name }) => String(name).startsWith('go '))).toHaveLength(40)
})

test('rows that fail are an error with the job, whose failures are listed', async ({ service }) => {
  const client = clientOf(service)
  const rows = [{ body: 'x', deal_id: 'deal_00000000000' }]
  const error = await failure(client.jobs.importRows('notes', rows, { runId: 'failing' }))
  expect(error.code).toBe('partial')
  expect(await all(client.jobs.failures(error.details.job ?? ''))).toMatchObject([
    { line: 1, state: 'failed', code: 'not_found' },
  ])
})

test('a row with an error refuses all of them, and nothing is sent', async ({ service }) => {
  const client = clientOf(service)
  const rows = [
    { name: 'Fine', stage: 'Lead' },
    { name: 'Wrong', stage: 'Lead', amount: 'much' },
  ]
  const error = await failure(client.jobs.importRows('deals', rows, { runId: 'wrong' }))
  expect(error.message).toContain('row 2, amount')
  expect(await all(client.deals.list({ filters: { name: 'Fine' } }))).toEqual([])
})

test('what the rows of a program throw is thrown as it is, and leaves no job', async ({ service }) => {
  const home = emptyHome()
  const thrown = Object.assign(new Error('the source is gone'), { code: 'ENOENT' })
  const failing = (async function* () {
    yield { name: 'Ada' }
    throw thrown
  })()
  const call = clientOf(service, home).jobs.importRows('contacts', failing, { runId: 'thrown' })
  expect(await call.catch((error: unknown) => error)).toBe(thrown)
  expect(JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], home))).toEqual([])
})

test('an import needs a name for its run, and a mode needs a match', async ({ service }) => {
  const home = emptyHome()
  const client = clientOf(service, home)
  expect((await failure(client.jobs.importRows('contacts', [], {} as never))).message).toContain('runId')
  const mode = { runId: 'r', mode: 'update' } as const
  expect((await failure(client.jobs.importRows('contacts', [], mode))).message).toContain('needs match')
  expect(existsSync(`${home.HOME}/.local/state/crm/jobs`)).toBe(false)
})

test('rows with a match change the records that exist', async ({ service }) => {
  const client = clientOf(service)
  const { id } = await client.contacts.create({ name: 'Old', email: 'match@example.test' })
  const rows = [{ name: 'New', email: 'match@example.test' }]
  await client.jobs.importRows('contacts', rows, { runId: 'match', match: 'email' })
  expect(await client.contacts.get(id)).toMatchObject({ name: 'New' })
})
