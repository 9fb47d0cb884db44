import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import type { SalesforceOptions } from './emulators/salesforce.ts'
import { shortLived } from './kill-claim.ts'
import { connected, SERVERS } from './servers.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const [SALESFORCE] = SERVERS.filter(({ connector }) => connector === 'salesforce')
const ROWS = 4000
const KNOWN = 500
const KILLS = 6

/** Of 20 rows, one has a wrong value, and one no address. */
function rowOf(n: number): { readonly email: string; readonly title: string; readonly isWrong: boolean } {
  const email = n < KNOWN ? `person${n + 1}@example.com` : `new${n}@x.test`
  if (n % 20 === 7) return { email, title: 'Duke', isWrong: true }
  if (n % 20 === 13) return { email: `nowhere${n}`, title: 'Dr', isWrong: true }
  return { email, title: 'Dr', isWrong: false }
}

const ALL = Array.from({ length: ROWS }, (_, n) => ({ ...rowOf(n), line: n + 2, name: `Row ${n}` }))

test.each([
  ['upserts by email and changes', ['--match', 'email']],
  ['creates', []],
] as const)(
  `${ROWS} rows as %s in collections, killed ${KILLS} times while answers get lost: each is done or failed once, and undone`,
  async (_, more) => {
    if (!SALESFORCE) throw new Error('there is no Salesforce')
    let child: ChildProcess | undefined
    let [writes, ofRun, kills] = [0, 0, 0]
    const options: SalesforceOptions = {
      records: KNOWN,
      validates: (_, { Title }) => (Title === 'Duke' ? { message: 'Nobody is a duke.', field: 'Title' } : undefined),
      faults: ({ method }) => {
        if (method === 'GET') return undefined
        writes += 1
        ofRun += 1
        if (ofRun === 2 && kills < KILLS) child?.kill('SIGKILL')
        return writes % 5 === 3 ? 'lose-answer' : undefined
      },
    }
    const { env, emulator, contacts } = await connected(SALESFORCE, options)
    const before = await crmPrints(['contacts', 'list', '-o', 'json'], env)
    const isMatched = more.length > 0
    const wanted = isMatched ? ALL : ALL.slice(KNOWN)
    const file = join(env.HOME ?? '', 'people.csv')
    const lines = wanted.map(({ name, email, title }) => `${name},${email},${title}\n`)
    writeFileSync(file, `name,email,Title\n${lines.join('')}`)
    const args = ['contacts', 'import', file, ...more, '--yes', '--max-errors', String(ROWS), '-o', 'json']
    const lived = shortLived(env)
    let [stdout, stderr] = ['', '']
    do {
      ofRun = 0
      child = spawn(process.execPath, [CRM, ...args], { env: lived, stdio: ['ignore', 'pipe', 'pipe'] })
      const { stdout: out, stderr: err } = child
      if (!out || !err) throw new Error('crm has no output')
      ;[stdout, stderr] = await Promise.all([text(out), text(err), once(child, 'close')])
      if (child.signalCode === 'SIGKILL') kills += 1
    } while (child.signalCode === 'SIGKILL')
    expect([kills, child.exitCode], stderr).toEqual([KILLS, 3])

    const wrong = wanted.filter(({ isWrong }) => isWrong).map(({ name }) => name)
    const account = JSON.parse(stdout)
    const ended = { rows: wanted.length, done: wanted.length - wrong.length, failed: wrong.length, in_doubt: 0 }
    expect(account).toMatchObject(ended)
    const failed = JSON.parse(await crmPrints(['jobs', 'failed', account.job, '-o', 'json'], env))
    const firstLine = ALL.length - wanted.length
    expect(failed.map(({ line }: { line: number }) => `Row ${line - 2 + firstLine}`)).toEqual(wrong)
    for (const { field, reason } of failed)
      expect([
        ['Title', 'Nobody is a duke.'],
        ['Email', expect.stringContaining('invalid email address: nowhere')],
      ]).toContainEqual([field, reason])

    const made = ALL.slice(KNOWN).filter(({ isWrong }) => !isWrong)
    const emails = contacts().map(({ Email }) => Email)
    expect([emails.length, new Set(emails).size]).toEqual([KNOWN + made.length, KNOWN + made.length])
    expect(emulator.effects('Contact', 'created')).toBe(made.length)
    const renamed = contacts().filter(({ FirstName }) => FirstName === 'Row')
    expect(renamed).toHaveLength(ended.done)

    await crmPrints(['jobs', 'undo', account.job, '--yes', '--expect', String(made.length)], env)
    const plain = (json: string) =>
      JSON.parse(json).map(({ updated_at: _updated, ...record }: Record<string, unknown>) => record)
    expect(plain(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toEqual(plain(before))
  },
  300_000,
)
