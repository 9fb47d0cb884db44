import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'
import { make } from '../../harness/records.ts'
import { newKey } from '../../harness/service.ts'
import { test } from '../../harness/shared-service.ts'
import { HAS_TMUX, openTerminal } from '../terminal.ts'
import { examined } from './examined.ts'
import { startGateway } from './gateway.ts'

const CHECKS = 'key reach tls clock latency records paging limits idempotency version'

const people = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `n${n}` }))

test('doctor finds all well with our own service, and reports what each check found', async ({ service }) => {
  await make(service, '/v1/contacts', people(3))
  const { exit, document, states, seen } = await examined(service.env)
  expect(exit).toBe(0)
  expect(document.checks.map(({ check }) => check).join(' ')).toBe(CHECKS)
  expect(new Set(Object.values(states))).toEqual(new Set(['ok']))
  expect(seen('key')).toBe(`from CRM_API_KEY, ending in ${service.key.slice(-4)}; the server accepts it`)
  expect(seen('records')).toBe('contacts are read as the connector crm describes')
  expect(seen('paging')).toBe('by cursor, as the connector crm states')
  expect(seen('limits')).toMatch(/^RateLimit \(draft 8\): .*"default";q=1000;w=10/)
  expect(seen('idempotency')).toBe('Idempotency-Key is sent')
  const facts = Object.fromEntries(document.checks.map(({ check, found }) => [check, found]))
  expect(facts.clock).toMatchObject({ skew_ms: expect.any(Number), error_ms: expect.any(Number) })
  expect(facts.latency).toMatchObject({ requests: 5, median_ms: expect.any(Number) })
})

test('doctor asks with GET: a server sees no write, and no file is made', async ({ service }) => {
  const { url, seen } = await startGateway(service.url)
  const env = { ...service.env, CRM_BASE_URL: url.origin, HOME: emptyHome().HOME }
  expect((await examined(env)).exit).toBe(0)
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(readdirSync(env.HOME, { recursive: true })).toEqual([])
})

test('a key that the server rejects is 4, and checks without a key still run', async ({ service }) => {
  const { exit, states, stderr } = await examined({ ...service.env, CRM_API_KEY: newKey() })
  expect(exit).toBe(4)
  expect(states).toMatchObject({ key: 'fail', reach: 'ok', clock: 'ok', records: 'unknown' })
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({ code: 'unauthorized' })
})

test('no key is 4, and the way to the server is examined all the same', async ({ service }) => {
  const { exit, states } = await examined({ ...emptyHome(), CRM_BASE_URL: service.url })
  expect(exit).toBe(4)
  expect(states).toMatchObject({ key: 'fail', reach: 'ok', tls: 'ok', records: 'unknown' })
})

test('no server is 2, with the commands that name one', async () => {
  const { exit, stdout, stderr } = await crm(['doctor'], emptyHome())
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toMatch(/no server is named.*\n {2}start one: crm serve/)
})

test('as csv every check is a record; jsonl is the document in a line, and --jq sees the whole of it', async ({
  service,
}) => {
  const [head, ...rows] = (await crmPrints(['doctor', '-o', 'csv'], service.env)).trimEnd().split('\r\n')
  expect(head).toBe('check,state,seen,code,hint,found')
  expect(rows.map((row) => row.split(',')[0]).join(' ')).toBe(CHECKS)
  const { checks } = JSON.parse(await crmPrints(['doctor', '-o', 'jsonl'], service.env))
  expect(checks.map(({ check }: { check: string }) => check).join(' ')).toBe(CHECKS)
  expect(await crmPrints(['doctor', '--jq', '.checks[] | select(.check == "tls") | .state'], service.env)).toBe('ok\n')
})

test.skipIf(!HAS_TMUX)(
  'on a terminal the evidence is wrapped under its heading, and never cut',
  async ({ service }) => {
    const screen = await openTerminal(['doctor', '-q'], service.env, { columns: 60, rows: 50 }).sees('exit=0')
    expect(screen).toMatch(/^limits {7}ok +RateLimit .*\n {16,23}\S/m)
    expect(screen).not.toContain('…')
  },
)
