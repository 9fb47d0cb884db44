import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { ask } from './emulators/ask.ts'
import type { Call, Row } from './emulators/emulator.ts'
import { shortLived } from './kill-claim.ts'
import { connected, SERVERS } from './servers.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const ROWS = 3000
const COMPANIES = 40
const DEALS = 60
/** Of so many writes, the answer to one is lost. */
const LOST_EVERY = 9
const KILLS = 3

test('3,000 contacts are linked with companies and deals through kills and lost answers, and undone exactly', async () => {
  const [hubspot] = SERVERS.filter(({ connector }) => connector === 'hubspot')
  if (!hubspot) throw new Error('there is no emulator of HubSpot')
  const state = { child: undefined as ChildProcess | undefined, writes: 0, kills: 0, next: Number.POSITIVE_INFINITY }
  const faults = ({ method, path }: Call) => {
    if (!Number.isFinite(state.next) || method === 'GET' || /\/(read|search)$/.test(path)) return undefined
    state.writes += 1
    if (state.kills < KILLS && state.writes >= state.next) {
      state.kills += 1
      state.next += 13
      state.child?.kill('SIGKILL')
    }
    return state.writes % LOST_EVERY === 4 ? 'lose-answer' : undefined
  }
  const { env: given, emulator } = await connected(hubspot, { faults })
  const env = shortLived(given)
  const fileOf = (name: string, lines: readonly string[]) => {
    const path = join(env.HOME ?? '', name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
  const killed = async (file: string) => {
    Object.assign(state, { writes: 0, kills: 0, next: 5 })
    const args = ['contacts', 'import', file, '--match', 'email', '--yes', '--max-errors', '0', '-o', 'json']
    for (;;) {
      const child = spawn(process.execPath, [CRM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      state.child = child
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
      if (child.signalCode === 'SIGKILL') continue
      state.next = Number.POSITIVE_INFINITY
      expect([child.exitCode, state.kills], stderr).toEqual([0, KILLS])
      return JSON.parse(stdout)
    }
  }
  const shown = async () => {
    const list = await crmPrints(['contacts', 'list', '--fields', 'email,company_ids,deal_ids', '-o', 'json'], env)
    const all: { email: string; deal_ids: string[] }[] = JSON.parse(list)
    return all.toSorted((one, other) => one.email.localeCompare(other.email))
  }
  const idsBy = (noun: string, member: string) =>
    emulator
      .records(noun)
      .toSorted((one, other) => Number((one.properties as Row)[member]) - Number((other.properties as Row)[member]))
      .map(({ id }) => String(id))

  const headers = { authorization: `Bearer ${emulator.key}` }
  const json = { label: 'Decision maker', name: 'decision_maker' }
  await ask(emulator.url, 'POST /crm/v4/associations/contacts/deals/labels', { json, headers })
  const companies = fileOf('companies.csv', ['name,domain', ...numbers(COMPANIES).map((n) => `${n},c${n}.test`)])
  const deals = fileOf('deals.csv', ['name,stage,pipeline_id', ...numbers(DEALS).map((n) => `${n},Stage 1,default`)])
  await crmPrints(['companies', 'import', companies, '--yes'], env)
  await crmPrints(['deals', 'import', deals, '--yes'], env)
  const [companyIds, dealIds] = [idsBy('companies', 'name'), idsBy('deals', 'dealname')]
  const email = (n: number) => `p${String(n).padStart(4, '0')}@x.test`

  const first = ['email,company.domain,deals[Decision maker].name']
  first.push(...numbers(ROWS).map((n) => `${email(n)},C${n % COMPANIES}.test,${n % DEALS}`))
  expect(await killed(fileOf('first.csv', first))).toMatchObject({ rows: ROWS, done: ROWS })
  const made = await shown()
  const linked = (n: number) => {
    const deal = dealIds[n % DEALS]
    return { email: email(n), company_ids: [companyIds[n % COMPANIES]], deal_ids: [deal, `${deal}[Decision maker]`] }
  }
  expect(made).toEqual(numbers(ROWS).map(linked))

  const second = ['email,companies+.domain,deals[Decision maker]-.name,deals+.name']
  second.push(...numbers(ROWS).map((n) => `${email(n)},c${(n + 1) % COMPANIES}.test,${n % DEALS},${(n + 7) % DEALS}`))
  expect(await killed(fileOf('second.csv', second))).toMatchObject({ rows: ROWS, done: ROWS })
  const changed = (n: number) => ({
    email: email(n),
    company_ids: [companyIds[n % COMPANIES], companyIds[(n + 1) % COMPANIES]].sort(),
    deal_ids: [dealIds[n % DEALS], dealIds[(n + 7) % DEALS]].sort(),
  })
  expect(await shown()).toEqual(numbers(ROWS).map(changed))

  const [change, creation] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
  // A link of someone else, which the undo leaves.
  const other = { from: { id: String(emulator.records('contacts')[0]?.id) }, to: { id: dealIds[50] } }
  await ask(emulator.url, 'POST /crm/v4/associations/contacts/deals/batch/associate/default', {
    json: { inputs: [other] },
    headers,
  })
  const undone = JSON.parse(await crmPrints(['jobs', 'undo', change ?? '', '--yes', '-o', 'json'], env))
  expect(undone).toMatchObject({ done: expect.any(Number), failed: 0 })
  const [foreign = linked(0), ...rest] = made
  expect(await shown()).toEqual([{ ...foreign, deal_ids: [...foreign.deal_ids, dealIds[50]].sort() }, ...rest])
  // The contact that someone linked since is not deleted.
  const last = await crm(['jobs', 'undo', creation ?? '', '--yes', '--expect', `${ROWS - 1}`], env)
  expect(last.stderr).toContain('1 changed since')
  expect(await shown()).toHaveLength(1)
}, 600_000)
