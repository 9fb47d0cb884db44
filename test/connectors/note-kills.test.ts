import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { Call, Row } from './emulators/emulator.ts'
import { shortLived } from './kill-claim.ts'
import { connected, SERVERS } from './servers.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const NOTES = 300
const COMPANIES = 10
const CONTACTS = 30
/** Of so many notes, the answer to one is lost. */
const LOST_EVERY = 50
/** The note at which crm is killed; the server makes it. */
const KILLED_AT = 123

test.each([
  { connector: 'pipedrive', isNote: ({ path }: Call) => path.endsWith('/v1/notes') },
  { connector: 'hubspot', isNote: ({ path }: Call) => path.endsWith('/objects/notes') },
])(
  '300 notes on contacts and companies of $connector are made once each through a kill and lost answers, and undone',
  async ({ connector, isNote }) => {
    const server = SERVERS.find((each) => each.connector === connector)
    if (!server) throw new Error(`${connector} is no server`)
    let child: ChildProcess | undefined
    let [sent, lost] = [0, 0]
    const faults = (call: Call) => {
      if (call.method !== 'POST' || !isNote(call)) return undefined
      sent += 1
      if (sent === KILLED_AT) child?.kill('SIGKILL')
      if (sent % LOST_EVERY !== 7) return undefined
      lost += 1
      return 'lose-answer'
    }
    const { env: given, emulator } = await connected(server, { records: CONTACTS, faults })
    const env = shortLived(given)
    const fileOf = (name: string, lines: readonly string[]) => {
      const path = join(env.HOME ?? '', name)
      writeFileSync(path, `${lines.join('\n')}\n`)
      return path
    }
    const companies = Array.from({ length: COMPANIES }, (_, n) => `Company ${n},c${n}.test`)
    await crmPrints(['companies', 'import', fileOf('companies.csv', ['name,domain', ...companies]), '--yes'], env)
    const rows = Array.from({ length: NOTES }, (_, n) =>
      n % 3 === 0 ? `Note ${n},,C${n % COMPANIES}.TEST` : `Note ${n},person${(n % CONTACTS) + 1}@example.com,`,
    )
    const file = fileOf('notes.csv', ['body,contact.email,company.domain', ...rows])
    const args = ['notes', 'import', file, '--yes', '-o', 'json']
    const run = async () => {
      child = spawn(process.execPath, [CRM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      const { stdout = '', stderr = '' } = {
        stdout: await text(child.stdout as NonNullable<typeof child.stdout>),
        stderr: await text(child.stderr as NonNullable<typeof child.stderr>),
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
      return { stdout, stderr, signal: child.signalCode }
    }
    expect((await run()).signal).toBe('SIGKILL')
    const { stdout, stderr } = await run()
    const job = JSON.parse(stdout)
    expect(job, stderr).toMatchObject({ rows: NOTES, failed: 0, unsent: 0 })
    const bodies = () =>
      emulator.records('notes').map((note) => String(note.content ?? (note.properties as Row).hs_note_body))
    // The notes under way at the kill are in doubt, too, and nothing that may be there is sent again.
    expect(job.in_doubt).toBeGreaterThanOrEqual(lost)
    expect(job.done + job.in_doubt).toBe(NOTES)
    expect(new Set(bodies()).size).toBe(bodies().length)
    const unknown = NOTES - bodies().length
    expect(unknown).toBeLessThanOrEqual(job.in_doubt)

    const contact = JSON.parse(
      await crmPrints(['contacts', 'list', '--where', '.email == "person3@example.com"', '-o', 'json'], env),
    )
    const listed = await crmPrints(['notes', 'list', contact[0].id, '--on', 'contacts', '-o', 'json'], env)
    for (const { body } of JSON.parse(listed)) expect(Number(body.slice('Note '.length)) % CONTACTS).toBe(2)

    const undone = await crm(['jobs', 'undo', job.job, '--yes', '--expect', `${job.done}`, '-o', 'json'], env)
    expect(JSON.parse(undone.stdout), undone.stderr).toMatchObject({ done: job.done, failed: 0, in_doubt: 0 })
    expect(bodies().length).toBe(job.in_doubt - unknown)
  },
)
