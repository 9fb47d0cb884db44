import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crmHurried, crmPrints } from '../harness/crm.ts'
import { personRows } from './claims.ts'
import type { Call, EmulatorOptions } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

const [HUBSPOT] = SERVERS.filter(({ connector }) => connector === 'hubspot')

const SHIPPED = new URL('../../connectors/hubspot.yaml', import.meta.url)

const MATCHED = ['--match', 'email'] as const

/** HubSpot, and a file of rows to import; `changed` makes another connector of the shipped one. */
async function reach(csv: string, options: EmulatorOptions = {}, changed?: (yaml: string) => string) {
  if (!HUBSPOT) throw new Error('there is no HubSpot')
  const there = await connected(HUBSPOT, options)
  const home = there.env.HOME ?? ''
  const file = join(home, 'people.csv')
  writeFileSync(file, csv)
  const connector = join(home, 'changed.yaml')
  if (changed) writeFileSync(connector, changed(readFileSync(SHIPPED, 'utf8')))
  const env = changed ? { ...there.env, CRM_CONNECTOR: connector } : there.env
  const importing = (more: readonly string[]) =>
    crmHurried(['contacts', 'import', file, '--yes', '-o', 'json', ...more], env)
  const sent = (verb: string) => there.emulator.requests.filter(({ path }) => path.endsWith(`/batch/${verb}`))
  return { ...there, env, importing, sent, created: () => there.emulator.effects('contacts', 'created') }
}

const isBatch = ({ path }: Pick<Call, 'path'>, verb: string) => path.endsWith(`/batch/${verb}`)

const inputsIn = ({ body }: Call) => {
  const value = body.type === 'json' ? (body.value as { readonly inputs?: readonly { readonly id?: string }[] }) : {}
  return value.inputs ?? []
}

const ONE_BAD = `name,email\nAda,ada@x.test\nBob,nowhere\nCleo,cleo@x.test\n`

test('of a batch, each row has its own outcome', async () => {
  const { env, importing, sent, contacts } = await reach(ONE_BAD)
  const { exit, stdout } = await importing(MATCHED)
  expect([exit, JSON.parse(stdout)]).toMatchObject([3, { done: 2, failed: 1, in_doubt: 0 }])
  expect(sent('upsert')).toMatchObject([{ status: 207 }])
  expect(contacts()).toHaveLength(2)
  const failed = JSON.parse(await crmPrints(['jobs', 'failed', JSON.parse(stdout).job, '-o', 'json'], env))
  expect(failed).toMatchObject([{ line: 3, reason: expect.stringContaining('nowhere is not an email address') }])
})

/** Without names for the rows, HubSpot refuses a batch that has a wrong one. */
function unnamed(yaml: string): string {
  return yaml.replaceAll(", objectWriteTraceId: '{row}'", '').replace(/^ +match: \{.*\}$/m, '  match: id')
}

test('a batch that is refused whole is halved until the wrong row stands alone', async () => {
  const rows = personRows([], 16).replace('new11@', 'new11')
  const { importing, sent, contacts } = await reach(rows, {}, unnamed)
  const { exit, stdout } = await importing(MATCHED)
  expect([exit, JSON.parse(stdout)]).toMatchObject([3, { done: 15, failed: 1, in_doubt: 0 }])
  const statuses = sent('upsert').map(({ status }) => status)
  // Of 16, 8, 4, 2 and 1 rows; and of the halves without the wrong one.
  expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 400, 400, 400, 400, 400])
  expect(contacts()).toHaveLength(15)
})

test('a batch of creates of which the answer accounts for none stops the job, and is never sent again', async () => {
  const { env, importing, sent, created } = await reach(personRows([], 3), {
    records: 2,
    answers: (call, own) =>
      isBatch(call, 'create') ? { status: 201, body: { status: 'COMPLETE', results: [] } } : own(),
  })
  const { exit, stdout } = await importing([])
  const { job, ...account } = JSON.parse(stdout)
  expect([exit, account]).toMatchObject([7, { done: 0, in_doubt: 3 }])
  expect((await crmHurried(['jobs', 'resume', job], env)).exit).toBe(3)
  expect([sent('create').length, created()]).toEqual([1, 0])
  const failed = await crmPrints(['jobs', 'failed', job], env)
  expect(failed).toContain('not sent again')
})

test('a row that the answer to an upsert leaves out is looked up, and done once', async () => {
  let isCut = false
  const { importing, created } = await reach(personRows([], 5), {
    answers: (call, own) => {
      const answer = own()
      if (isCut || !isBatch(call, 'upsert')) return answer
      isCut = true
      const { results, ...body } = answer.body as { readonly results: readonly object[] }
      return { ...answer, body: { ...body, results: results.slice(2) } }
    },
  })
  const { exit, stdout } = await importing(MATCHED)
  expect([exit, JSON.parse(stdout), created()]).toMatchObject([0, { done: 5, in_doubt: 0 }, 5])
})

test('a change that the answer does not account for stops the job, and is sent again by a resume', async () => {
  let isIgnored = false
  const { env, importing, contacts } = await reach(personRows(['person1@example.com'], 1), {
    records: 3,
    answers: (call, own) => {
      if (isIgnored || !isBatch(call, 'update')) return own()
      isIgnored = true
      return { status: 200, body: { status: 'COMPLETE', results: [] } }
    },
  })
  const { exit, stdout } = await importing(MATCHED)
  expect([exit, JSON.parse(stdout)]).toMatchObject([7, { done: 0, in_doubt: 1 }])
  expect((await crmHurried(['jobs', 'resume', JSON.parse(stdout).job], env)).exit).toBe(0)
  expect(contacts()[0]).toMatchObject({ properties: { lastname: '0' } })
})

test('a batch of creates whose answer is lost is read back, and never repeated', async () => {
  const { importing, sent, created } = await reach(personRows([], 5), {
    faults: (call) => (isBatch(call, 'create') ? 'lose-answer' : undefined),
  })
  const { exit, stdout } = await importing([])
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { done: 5, in_doubt: 0 }])
  expect([sent('create').length, created()]).toEqual([1, 5])
})

test('an upsert whose answer is lost is repeated, and its undo deletes what it made', async () => {
  let isLost = false
  const { env, importing, sent, created, contacts } = await reach(personRows(['person1@example.com'], 5), {
    records: 2,
    faults: (call) => {
      if (isLost || !isBatch(call, 'upsert')) return undefined
      isLost = true
      return 'lose-answer'
    },
  })
  const { stdout } = await importing(MATCHED)
  expect(JSON.parse(stdout)).toMatchObject({ done: 5, in_doubt: 0 })
  expect([sent('upsert').length, created()]).toEqual([2, 4])
  const undoing = ['jobs', 'undo', JSON.parse(stdout).job, '--yes', '--expect', '4', '-o', 'json']
  expect(await crmHurried(undoing, env)).toMatchObject({ exit: 0 })
  expect(contacts()).toHaveLength(2)
})

test('a batch that meets a rate limit is sent again as a whole', async () => {
  let isLimited = false
  const { importing, sent } = await reach(personRows([], 7), {
    answers: (call, own) => {
      if (isLimited || !isBatch(call, 'upsert')) return own()
      isLimited = true
      return { status: 429, body: { status: 'error', message: 'too many', category: 'RATE_LIMITS' } }
    },
  })
  const { stdout } = await importing(MATCHED)
  expect(JSON.parse(stdout)).toMatchObject({ done: 7, failed: 0 })
  expect(sent('upsert').map(({ status }) => status)).toEqual([429, 200])
})

test('no more rows than the server takes share a request, and each is sent once', async () => {
  const sizes: number[] = []
  const ids: (string | undefined)[] = []
  const { importing } = await reach(personRows([], 250), {
    faults: (call) => {
      if (isBatch(call, 'upsert')) {
        sizes.push(inputsIn(call).length)
        ids.push(...inputsIn(call).map(({ id }) => id))
      }
      return undefined
    },
  })
  await importing(MATCHED)
  expect(sizes.toSorted()).toEqual([100, 100, 50])
  expect(new Set(ids).size).toBe(250)
})
