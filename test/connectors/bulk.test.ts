import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import type { EmulatorOptions, Rate } from './emulators/emulator.ts'
import { shortLived } from './kill-claim.ts'
import { connected, SERVERS } from './servers.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const ROWS = 10_000
const KNOWN = 1000
/** As HubSpot's documents state it. */
const DOCUMENTED: Rate = { requests: 100, perMs: 10_000 }
const [HUBSPOT] = SERVERS.filter(({ connector }) => connector === 'hubspot')

async function reach(options: EmulatorOptions) {
  if (!HUBSPOT) throw new Error('there is no HubSpot')
  const there = await connected(HUBSPOT, { records: KNOWN, ...options })
  const file = join(there.env.HOME ?? '', 'people.csv')
  const emails = Array.from({ length: ROWS }, (_, n) => (n < KNOWN ? `person${n + 1}@example.com` : `new${n}@x.test`))
  writeFileSync(file, `name,email\n${emails.map((email, n) => `Row ${n},${email}\n`).join('')}`)
  const start = (more: readonly string[] = ['--match', 'email'], env = there.env) => {
    const args = [CRM, 'contacts', 'import', file, ...more, '--yes', '-o', 'json']
    return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  }
  return { ...there, file, start, refused: () => there.emulator.requests.filter(({ status }) => status === 429).length }
}

type Child = ReturnType<Awaited<ReturnType<typeof reach>>['start']>

async function ended(child: Child): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  child.on('close', resolve)
  return { code: await promise, stdout, stderr }
}

function checkWhole(contacts: readonly Record<string, unknown>[]): void {
  const byEmail = new Map(
    contacts
      .map(({ properties }) => Object.values(properties as Record<string, string>))
      .map((values) => [values.find((value) => value.includes('@')), values]),
  )
  expect([contacts.length, byEmail.size]).toEqual([ROWS, ROWS])
  const renamed = contacts.filter(({ properties }) => (properties as Record<string, string>).firstname === 'Row')
  expect(renamed).toHaveLength(ROWS)
}

test('10,000 rows are matched and sent in less than 40 s at 100 requests in 10 s, and none is refused', async () => {
  const { emulator, start, refused, contacts } = await reach({ rate: DOCUMENTED })
  const startedMs = performance.now()
  const { code, stdout, stderr } = await ended(start())
  expect(code, stderr).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(40_000)
  expect(JSON.parse(stdout)).toMatchObject({ done: ROWS, failed: 0, in_doubt: 0 })
  expect([refused(), emulator.effects('contacts', 'created')]).toEqual([0, ROWS - KNOWN])
  checkWhole(contacts())
}, 120_000)

test('killed five times while it sends, it makes no contact twice, loses no row, and is undone', async () => {
  let isKilledAt = 0
  let child: Child | undefined
  const { env, emulator, start, refused, contacts } = await reach({
    // The documented pace in a fifth of the time.
    rate: { requests: 100, perMs: 2000 },
    faults: ({ path }) => {
      if (!path.endsWith('/batch/upsert') && !path.endsWith('/batch/update')) return undefined
      isKilledAt += 1
      if (isKilledAt % 17 === 0 && isKilledAt <= 5 * 17) child?.kill('SIGKILL')
      return undefined
    },
  })
  let kills = 0
  for (;;) {
    child = start()
    const { code, stdout, stderr } = await ended(child)
    if (child.signalCode === 'SIGKILL') {
      kills += 1
      continue
    }
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rows: ROWS, done: ROWS, failed: 0, in_doubt: 0 })
    break
  }
  expect([kills, refused(), emulator.effects('contacts', 'created')]).toEqual([5, 0, ROWS - KNOWN])
  checkWhole(contacts())
  const [{ id: job }] = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
  await crmPrints(['jobs', 'undo', job, '--yes', '--expect', String(ROWS - KNOWN)], env)
  expect(contacts()).toHaveLength(KNOWN)
  const names = contacts().map(({ properties }) => (properties as Record<string, string>).firstname)
  expect(new Set(names)).toEqual(new Set(['Person']))
}, 240_000)

test('creates in batches, killed five times while answers get lost, make no contact twice and lose no row', async () => {
  let [sent, sentByChild, kills] = [0, 0, 0]
  let child: Child | undefined
  const { env, file, emulator, start, contacts } = await reach({
    rate: { requests: 100, perMs: 1000 },
    faults: ({ path }) => {
      if (!path.endsWith('/batch/create')) return undefined
      sent += 1
      sentByChild += 1
      // Of each child, because what it sent before it ended may arrive after the kill.
      if (sentByChild === 3 && kills < 5) child?.kill('SIGKILL')
      return sent % 7 === 3 ? 'lose-answer' : undefined
    },
  })
  const rows = Array.from({ length: 4000 }, (_, n) => `Row ${n},fresh${n}@x.test\n`)
  writeFileSync(file, `name,email\n${rows.join('')}`)
  const lived = shortLived(env)
  for (;;) {
    sentByChild = 0
    child = start([], lived)
    const { code, stdout, stderr } = await ended(child)
    if (child.signalCode === 'SIGKILL') {
      kills += 1
      continue
    }
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4000, done: 4000, failed: 0, in_doubt: 0 })
    break
  }
  expect([kills, emulator.effects('contacts', 'created'), contacts().length]).toEqual([5, 4000, 4000 + KNOWN])
}, 240_000)
