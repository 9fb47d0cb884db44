import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Env } from '../harness/home.ts'
import { accountFault } from '../torture/judge.ts'
import type { Asked, Claimed } from './claims.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const KILLS = 20
/** Contacts that are there before the import. */
const KNOWN = 5
/** Of 9 writes, the answer to one is lost. */
const LOST_EVERY = 9
/** A run that takes longer hangs: on a busy machine, a process alone takes 10 s to start. */
const LONGEST_RUN_MS = 240_000

export interface Imported {
  readonly rows: number
  /** How many of them travel in one request. */
  readonly perRequest: number
}

/** Kills come in the midst of a write: the server carries it out, and its answer finds nobody. */
export function claimKills({ reach }: Claimed, { rows, perRequest }: Imported = { rows: 500, perRequest: 1 }): void {
  test.concurrent(
    `an import killed ${KILLS} times while answers get lost writes no row twice, and its account adds up`,
    async ({ onTestFinished: cleanUp }) => {
      // So that the rows suffice for all kills: as many requests are left for those that each finds under way.
      const most = Math.floor(rows / perRequest / KILLS / 2)
      let child: ChildProcess | undefined
      let [writesOfRun, writes, kills] = [0, 0, 0]
      const { env, contacts, effects } = await reach(KNOWN, {
        cleanUp,
        loses: (asked) => {
          if (!isWrite(asked)) return false
          writes += 1
          writesOfRun += 1
          if (kills < KILLS && writesOfRun === 1 + ((kills * 7) % most)) child?.kill('SIGKILL')
          if (writes % LOST_EVERY !== 4) return false
          return true
        },
      })
      const lived = shortLived(env)
      const args = ['contacts', 'import', fileOf(env, rows), '--yes', '--max-errors', `${rows}`, '-o', 'json']
      let printed: Printed
      do {
        writesOfRun = 0
        child = spawn(process.execPath, [CRM, ...args], { env: lived, stdio: ['ignore', 'pipe', 'pipe'] })
        printed = await endedInTime(child, `after ${kills} kills`)
        if (child.signalCode === 'SIGKILL') kills += 1
      } while (child.signalCode === 'SIGKILL')
      expect(kills, printed.stderr).toBe(KILLS)
      expect(child.exitCode, printed.stderr).toBe(0)
      const found = { job: JSON.parse(printed.stdout), contacts: await contacts(), created: effects('created') }
      checkState(found, rows)
    },
    (KILLS + 1) * LONGEST_RUN_MS,
  )
}

/** Several vendors read by POST. */
function isWrite({ method, path }: Asked): boolean {
  return method !== 'GET' && !/\/(query|search|read)$/.test(path)
}

function fileOf(env: Env, rows: number): string {
  const file = join(env.HOME ?? '', 'people.csv')
  const lines = Array.from({ length: rows }, (_, n) => `Person ${n},new${n}@import.test\n`)
  writeFileSync(file, `name,email\n${lines.join('')}`)
  return file
}

/** With a connector of its own, in which requests live for a second. */
export function shortLived(env: Env): Env {
  const file = join(env.HOME ?? '', 'short.yaml')
  const { CRM_CONNECTOR: connector = '' } = env
  const head = connector.endsWith('.yaml')
    ? readFileSync(connector, 'utf8')
    : `connector: 2\nname: short\nextends: ${connector}\n`
  writeFileSync(file, `${head}idempotency: { life: 1s }\n`)
  return { ...env, CRM_CONNECTOR: file }
}

interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/** The time of one run is limited, not that of all: how long they take says how busy the machine is, and nothing of the claim. */
async function endedInTime(child: ChildProcess, when: string): Promise<Printed> {
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, LONGEST_RUN_MS)
  try {
    const printed = await ended(child)
    if (isLate) throw new Error(`the run ${when} did not end within ${LONGEST_RUN_MS / 1000} s\n${printed.stderr}`)
    return printed
  } finally {
    clearTimeout(late)
  }
}

async function ended(child: ChildProcess): Promise<Printed> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('crm has no output')
  const [printed, said] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { stdout: printed, stderr: said }
}

interface Found {
  readonly job: Parameters<typeof accountFault>[0]
  readonly contacts: readonly unknown[]
  readonly created: number
}

/** Each row is there once, and done in the account. */
function checkState({ job, contacts, created }: Found, rows: number): void {
  const made = contacts.flatMap((contact) => JSON.stringify(contact).match(/new\d+@import\.test/)?.[0] ?? [])
  expect([new Set(made).size, made.length, contacts.length, created]).toEqual([rows, rows, rows + KNOWN, rows])
  expect([job.rows, job.done, accountFault(job)]).toEqual([rows, rows, undefined])
}
