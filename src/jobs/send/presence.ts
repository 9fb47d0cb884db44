import { hash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-folder.ts'

const BEAT_MS = 1000
/** Before it sends, a new process waits until the others can have seen it: a window is soon spent. */
const LOOK_MS = 200
/** A process that has not been heard of for so long is gone. */
const GONE_MS = 5000

export interface Presence {
  /** Processes that send to the account now, this one included. */
  readonly processes: number
  /** What another one felt to be the rate that is allowed to one; undefined when none did. */
  readonly feltPerSecond: number | undefined
  close(): void
}

export interface PresenceOptions {
  /** The state home. */
  readonly home: string
  readonly account: string
  readonly pid: number
  readonly wallMs: () => number
  /** Of this process. */
  readonly felt: () => number | undefined
}

/**
 * How processes of one account share what it is allowed: each keeps a file of its own, which it touches once a second, and
 * counts those of the others five times as often. No lock is held, so none can be left behind; a crash is noticed after five seconds.
 */
export async function openPresence({ home, account, pid, wallMs, felt }: PresenceOptions): Promise<Presence> {
  const pace = join(home, 'pace')
  await ensurePrivateFolder(pace)
  const folder = join(pace, hash('sha256', account, 'base64url').slice(0, 22))
  await ensurePrivateFolder(folder)
  // Containers that share a home give their processes the same numbers.
  const own = join(folder, `${pid}-${randomUUID()}`)
  let seen = { processes: 1, feltPerSecond: undefined as number | undefined }
  let looks = 0
  const beat = () => {
    if (looks++ % (BEAT_MS / LOOK_MS) === 0) {
      writeFileSync(own, JSON.stringify({ per_second: felt() ?? null }), { mode: 0o600 })
      // By the clock that the others are judged by.
      utimesSync(own, wallMs() / 1000, wallMs() / 1000)
    }
    seen = look(folder, own, wallMs())
  }
  try {
    beat()
  } catch (error) {
    rmSync(own, { force: true })
    throw toMachineError(error, own)
  }
  const timer = setInterval(() => {
    try {
      beat()
    } catch (error) {
      // Only politeness is lost when the disk is full; the journal notices what matters.
      if (errorCode(error) === undefined) throw error
    }
  }, LOOK_MS)
  timer.unref()
  if (seen.processes > 1) await delay(LOOK_MS)
  return {
    get processes() {
      return seen.processes
    },
    get feltPerSecond() {
      return seen.feltPerSecond
    },
    close: () => {
      clearInterval(timer)
      rmSync(own, { force: true })
    },
  }
}

function look(folder: string, own: string, nowMs: number): { processes: number; feltPerSecond: number | undefined } {
  let processes = 1
  let feltPerSecond: number | undefined
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = path === own ? undefined : statSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    if (nowMs - stats.mtimeMs > GONE_MS) rmSync(path, { force: true })
    else {
      processes += 1
      feltPerSecond ??= readFelt(path)
    }
  }
  return { processes, feltPerSecond }
}

/** Undefined also for one that is being written. */
function readFelt(path: string): number | undefined {
  try {
    const { per_second: perSecond } = JSON.parse(readFileSync(path, 'utf8')) as { per_second?: unknown }
    return typeof perSecond === 'number' ? perSecond : undefined
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
