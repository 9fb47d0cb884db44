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

const CHECKS = 'key reach tls clock latency records page_size paging largest_page limits idempotency openapi version'

const people = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `n${n}` }))

test('doctor finds all well with our own service, and reports what each check found', async ({ service }) => {
  await make(service, '/v1/contacts', people(3))
  const { exit, document, states, seen } = await examined(service.env)
  expect(exit).toBe(0)
  expect(document.checks.map(({ check }) => check).join(' ')).toBe(CHECKS)
  expect(new Set(Object.values(states))).toEqual(new Set(['ok']))
  expect(seen('key')).toBe(`from CRM_API_KEY, ending in ${service.key.slice(-4)}; the server accepts it`)
  expect(seen('records')).toBe('contacts are in data; deals are in data')
  expect(seen('page_size')).toBe('limit=1 gives 1, limit=2 gives 2')
  expect(seen('paging')).toBe('next_cursor leads to the next page as cursor; the second page holds other records')
  expect(seen('largest_page')).toMatch(
    /^500: limit=500 gives \d+, .*the OpenAPI document states 500; limit=1000 is refused/,
  )
  expect(seen('limits')).toMatch(/^RateLimit \(draft 8\): .*"default";q=1000;w=10/)
  expect(seen('idempotency')).toMatch(/^Idempotency-Key, by \/v1\/openapi\.json; kept for 1d \("For 24 hours/)
  expect(seen('openapi')).toMatch(/^\/v1\/openapi\.json: OpenAPI 3\.1\.0, crm /)
  const facts = Object.fromEntries(document.checks.map(({ check, found }) => [check, found]))
  expect(facts.clock).toMatchObject({ skew_ms: expect.any(Number), error_ms: expect.any(Number) })
  expect(facts.largest_page).toMatchObject({ largest: 500 })
  expect(facts.latency).toMatchObject({ requests: 5, median_ms: expect.any(Number) })
})

test('doctor asks with GET: a server sees no write, and no file is made', async ({ service }) => {
  const { url, seen } = await startGateway(service.url)
  const env = { ...service.env, CRM_BASE_URL: url.origin, HOME: emptyHome().HOME }
  expect((await examined(env)).exit).toBe(0)
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(readdirSync(env.HOME, { recursive: true })).toEqual([])
})

test('doctor --fix writes what crm would not find out by itself, and has nothing left to write then', async ({
  service,
}) => {
  await make(service, '/v1/contacts', people(2))
  const home = emptyHome()
  await crmPrints(['config', 'set', 'base_url', service.url, '-p', 'here'], home)
  const env = { ...home, CRM_API_KEY: service.key, CRM_PROFILE: 'here' }
  const dry = await crm(['doctor', '--fix', '--dry-run'], env)
  expect(dry.stderr).toContain('Would write wire.page_size = "500" (now 100)\n')
  expect(dry.stderr).toContain('Dry run: nothing was written.\n')
  expect(await crmPrints(['config', 'get', 'wire.page_size', '-p', 'here'], home)).toBe('100\n')

  const fixed = await crm(['doctor', '--fix'], env)
  expect(fixed.exit).toBe(0)
  expect(fixed.stderr).toContain('Profile here: wire.page_size = 500\nProfile here: wire.idempotency_window = 1d\n')
  expect(await crmPrints(['config', 'get', 'wire.page_size', '-p', 'here'], home)).toBe('500\n')
  const again = await crm(['doctor', '--fix'], env)
  expect(again.stderr).toContain('Nothing to write: crm recognises this server without settings.\n')
})

test('settings that are wrong for a server are found out, and --fix puts them right', async ({ service }) => {
  const home = emptyHome()
  for (const [name, value] of [
    ['base_url', service.url],
    ['wire.limit_param', 'per'],
    ['wire.idempotency_header', 'X-Once'],
  ] as const) {
    await crmPrints(['config', 'set', name, value, '-p', 'here'], home)
  }
  const env = { ...home, CRM_API_KEY: service.key, CRM_PROFILE: 'here' }
  const wrong = await examined(env)
  expect(wrong).toMatchObject({
    exit: 7,
    states: { key: 'ok', page_size: 'fail', idempotency: 'warn' },
  })
  expect(wrong.settings).toEqual(
    expect.arrayContaining(['wire.limit_param=limit', 'wire.idempotency_header=Idempotency-Key']),
  )
  const right = await examined(env, '--fix')
  expect(right.exit).toBe(0)
  expect(Object.values(right.states)).not.toContain('warn')
})

test('doctor --fix without a profile names the commands that make one, and they do', async ({ service }) => {
  const home = emptyHome()
  const { exit, stdout, stderr } = await crm(['doctor', '--fix'], { ...service.env, HOME: home.HOME })
  expect(exit).toBe(2)
  expect(stdout).toMatch(/^CHECK +STATE +SEEN\nkey +ok /)
  expect(stderr).toContain(`no profile of ${service.url} is in use, so nothing was written`)
  const commands = (/^ {2}(crm config set .*); then CRM_PROFILE=NAME/m.exec(stderr)?.[1] ?? '').split(' && ')
  expect(commands.length).toBeGreaterThan(1)
  for (const line of commands) await crmPrints(line.replace('NAME', 'made').split(' ').slice(1), home)
  expect(await crmPrints(['config', 'get', 'wire.idempotency_window', '-p', 'made'], home)).toBe('1d\n')
})

test('--dry-run means nothing to doctor without --fix', async ({ service }) => {
  const { exit, stderr } = await crm(['doctor', '--dry-run'], service.env)
  expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('--dry-run goes with --fix') })
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
    expect(screen).toMatch(/^openapi {7}ok +\/v1\/openapi\.json: OpenAPI 3\.1\.0, crm .*\n {16,23}\S/m)
    expect(screen).not.toContain('…')
  },
)
