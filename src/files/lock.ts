import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'
import { errorCode, toMachineError } from './machine-error.ts'
import { isGone, thisProcess } from './processes.ts'

const WAIT_MS = 5000
const POLL_MS = 20
/** On a file system without links, an empty lock may be one whose owner is being written; from this age on, it is stale. */
const EMPTY_IS_STALE_MS = 2000

/**
 * Runs `work` under an exclusive lock of the path. A lock of a process that has ended is taken over. CrmError `machine`,
 * which names the holder, when the lock is still held after `waitMs`.
 */
export async function withLock<Result>(
  path: string,
  work: () => Promise<Result>,
  waitMs: number = WAIT_MS,
): Promise<Result> {
  const { pid, startedAtMs, mark } = thisProcess()
  const owner = `${pid} ${startedAtMs} ${randomUUID()} ${mark}\n`
  try {
    await acquire(path, owner, performance.now() + waitMs)
  } catch (error) {
    throw toMachineError(error, path)
  }
  try {
    return await work()
  } finally {
    // The user may have removed it as the hint below suggests.
    if ((await readOwner(path)) === owner) await rm(path, { force: true })
  }
}

async function acquire(path: string, owner: string, deadlineMs: number): Promise<void> {
  while (!(await create(path, owner))) {
    if (await isStale(path)) {
      await breakStale(path)
      continue
    }
    if (performance.now() >= deadlineMs) throw await heldError(path)
    await sleep(POLL_MS)
  }
}

/** Whether another process holds the lock now. */
export async function isLocked(path: string): Promise<boolean> {
  return (await readOwner(path)) !== undefined && !(await isStale(path))
}

/** Creates the file together with its text: a crash in between would leave a lock without an owner. */
async function create(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeExclusive(temporary, text)
    await link(temporary, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (LINKLESS.has(errorCode(error) ?? '')) return await createInPlace(path, text)
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

/** The errors of link on a file system without links; EISDIR is that of Windows for FAT and exFAT, an invalid function. */
const LINKLESS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'])

async function createInPlace(path: string, text: string): Promise<boolean> {
  try {
    await writeExclusive(path, text)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // A full disk accepts the file but not its text.
    if (errorCode(error) === 'ENOSPC') await rm(path, { force: true })
    throw error
  }
}

async function writeExclusive(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(text)
  // A power cut must not leave a truncated owner, which may be the id of another process.
  await file.sync()
}

async function readOwner(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path)
  if (owner === undefined) return false
  const [pid, startedAtMs] = owner.split(' ', 2).map(Number)
  const mark = owner.split(' ')[3]?.trim() ?? ''
  if (!pid || !owner.endsWith('\n')) return await isOlderThan(path, EMPTY_IS_STALE_MS)
  return isGone({ pid, startedAtMs: startedAtMs ?? 0, mark })
}

/**
 * Two processes may find the same lock stale, and the slower one must not remove the new lock of the faster one: the lock
 * is removed under a second lock, after another check.
 */
async function breakStale(path: string): Promise<void> {
  const guard = `${path}.break`
  if (!(await create(guard, ''))) {
    if (await isOlderThan(guard, EMPTY_IS_STALE_MS)) await rm(guard, { force: true })
    await sleep(POLL_MS)
    return
  }
  try {
    if (await isStale(path)) await rm(path, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}

async function isOlderThan(path: string, ageMs: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ageMs
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

async function heldError(path: string): Promise<CrmError> {
  const pid = Number.parseInt((await readOwner(path)) ?? '', 10)
  const holder = Number.isNaN(pid) ? 'another process' : `process ${pid}`
  return new CrmError('machine', `${path} is held by ${holder}`, {
    hint: `wait until it ends; if it is not a crm process: rm ${shellWord(path)}`,
    isBusy: true,
  })
}
