import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { connected, SERVERS } from './servers.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const KILLS = 20
const ROWS = 500

describe.each(SERVERS)('$connector', (server) => {
  test(`an import killed ${KILLS} times while answers get lost writes no row twice, and its account adds up`, async () => {
    let seen = 0
    const { env, contacts, emulator } = await connected(server, {
      records: 5,
      // Slow enough that the kills meet rows under way.
      rate: { requests: 60, perMs: 1000 },
      faults: ({ method }) => (method === 'GET' ? undefined : ++seen % 9 === 4 ? 'lose-answer' : undefined),
    })
    const profile = { ...env, CRM_PROFILE: 'killed' }
    await crmPrints(['config', 'set', 'base_url', env.CRM_BASE_URL ?? '', '-p', 'killed'], without(profile))
    await crmPrints(['config', 'set', 'wire.request_life', '2s', '-p', 'killed'], without(profile))
    const file = join(env.HOME ?? '', 'people.csv')
    const lines = Array.from({ length: ROWS }, (_, n) => `Person ${n},new${n}@import.test`)
    writeFileSync(file, `name,email\n${lines.join('\n')}\n`)
    const importing = ['contacts', 'import', file, '--yes', '--max-errors', String(ROWS)]
    for (let kill = 0; kill < KILLS; kill++) {
      const ended = await runFor(importing, profile, 700 + 150 * (kill % 5))
      if (ended !== 'killed') break
    }
    const last = await runFor([...importing, '-o', 'json'], profile, 110_000)
    const emails = contacts().map((contact) => JSON.stringify(contact).match(/new\d+@import\.test/)?.[0])
    const made = emails.filter((email) => email !== undefined)
    expect(made.length).toBe(new Set(made).size)
    expect(emulator.effects(server.contacts, 'created')).toBe(made.length)
    if (typeof last === 'string') throw new Error('the last run did not end')
    expect([0, 3], last.stderr).toContain(last.exit)
    const jobs = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], without(profile)))
    const [job] = jobs
    expect(job.rows).toBe(ROWS)
    expect(job.done + job.failed + job.in_doubt + job.unchanged + job.skipped).toBe(ROWS)
    expect(job.in_doubt).toBeLessThan(ROWS / 20)
    expect(made.length).toBeGreaterThanOrEqual(job.done)
    expect(made.length).toBeLessThanOrEqual(job.done + job.in_doubt)
  }, 240_000)
})

/** The address of a profile is its own. */
function without({ CRM_BASE_URL: _, CRM_API_KEY: __, CRM_PROFILE: ___, ...env }: Record<string, string>) {
  return env
}

interface Ended {
  readonly exit: number | null
  readonly stderr: string
}

/** Runs crm as a process, and kills it after this time. */
function runFor(args: readonly string[], env: Record<string, string>, ms: number): Promise<Ended | 'killed'> {
  const { promise, resolve } = Promise.withResolvers<Ended | 'killed'>()
  const child = spawn(process.execPath, [CRM, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  child.on('exit', (exit, signal) => {
    clearTimeout(timer)
    resolve(signal === 'SIGKILL' ? 'killed' : { exit, stderr })
  })
  return promise
}
