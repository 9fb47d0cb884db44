import { hash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-folder.ts'

const WRITE_MS = 1000
/** A new process waits this long before it sends, so that the others notice it: a window is soon used up. */
const READ_MS = 200
/** A process whose file was not written for so long has ended. */
const ENDED_MS = 5000

/** What this process knows of the other processes of the account. */
interface Seen {
  /** Processes that send to the account now, this one included. */
  readonly processes: number
  /** Requests a second that another process has observed the account to be allowed; undefined when none has. */
  readonly perSecond: number | undefined
}

export interface SharedBudget extends Seen {
  close(): void
}

export interface SharedBudgetOptions {
  /** The state home. */
  readonly home: string
  readonly account: string
  readonly pid: number
  readonly wallMs: () => number
  /** What this process has observed. */
  readonly perSecond: () => number | undefined
}

/**
 * The processes of one account share its limit: each writes a file of its own once a second, and counts those of the others
 * five times as often. No lock is held, so a crash leaves none behind; it is noticed after five seconds.
 */
export async function openSharedBudget(options: SharedBudgetOptions): Promise<SharedBudget> {
  const { home, account, pid, wallMs, perSecond } = options
  const accounts = join(home, 'pace')
  await ensurePrivateFolder(accounts)
  const folder = join(accounts, hash('sha256', account, 'base64url').slice(0, 22))
  await ensurePrivateFolder(folder)
  // Processes of containers that share a home may have the same id.
  const own = join(folder, `${pid}-${randomUUID()}`)
  let seen: Seen = { processes: 1, perSecond: undefined }
  let reads = 0
  const update = () => {
    if (reads++ % (WRITE_MS / READ_MS) === 0) {
      writeFileSync(own, JSON.stringify({ per_second: perSecond() ?? null }), { mode: 0o600 })
      // The others compare it with this clock.
      utimesSync(own, wallMs() / 1000, wallMs() / 1000)
    }
    seen = readOthers(folder, own, wallMs())
  }
  try {
    update()
  } catch (error) {
    rmSync(own, { force: true })
    throw toMachineError(error, own)
  }
  const timer = setInterval(() => {
    try {
      update()
    } catch (error) {
      // On a full disk only the sharing is lost; the journal reports the disk.
      if (errorCode(error) === undefined) throw error
    }
  }, READ_MS)
  timer.unref()
  if (seen.processes > 1) await delay(READ_MS)
  return {
    get processes() {
      return seen.processes
    },
    get perSecond() {
      return seen.perSecond
    },
    close: () => {
      clearInterval(timer)
      rmSync(own, { force: true })
    },
  }
}

function readOthers(folder: string, own: string, nowMs: number): Seen {
  let processes = 1
  let perSecond: number | undefined
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = path === own ? undefined : statSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    if (nowMs - stats.mtimeMs > ENDED_MS) rmSync(path, { force: true })
    else {
      processes += 1
      perSecond ??= readPerSecond(path)
    }
  }
  return { processes, perSecond }
}

/** Undefined also for a file that is being written. */
function readPerSecond(path: string): number | undefined {
  try {
    const { per_second: perSecond } = JSON.parse(readFileSync(path, 'utf8')) as { per_second?: unknown }
    return typeof perSecond === 'number' ? perSecond : undefined
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
