import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Entry } from '../../../src/jobs/journal/entry.ts'
import { encodeLine, Journal } from '../../../src/jobs/journal/journal.ts'
import { JobProgress } from '../../../src/jobs/journal/progress.ts'
import { PlanFile } from '../../../src/jobs/plan/plan-file.ts'
import { Leases } from '../../../src/jobs/send/leases.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { makeJob } from '../job-fixture.ts'

/** The real calls, noted; a disk that is full or slow when a test says so. */
const disk = vi.hoisted(() => ({
  calls: [] as string[],
  isFull: false,
  whenSynced: undefined as Promise<void> | undefined,
}))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    ftruncateSync: (...args: Parameters<typeof fs.ftruncateSync>) => {
      disk.calls.push('ftruncate')
      fs.ftruncateSync(...args)
    },
    fdatasyncSync: (fd: number) => {
      disk.calls.push('fdatasync')
      fs.fdatasyncSync(fd)
    },
    fdatasync: (fd: number, done: (error: Error | null) => void) => {
      void Promise.resolve(disk.whenSynced).then(() => {
        disk.calls.push('fdatasync')
        fs.fdatasync(fd, done)
      })
    },
    writeSync: (fd: number, bytes: Buffer, at: number) => {
      if (!disk.isFull) return fs.writeSync(fd, bytes, at)
      fs.writeSync(fd, bytes, at, 10)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    },
  }
})

beforeEach(() => {
  Object.assign(disk, { calls: [], isFull: false, whenSynced: undefined })
})

const PAUSE: Entry = { t: 'pause', time: 1, why: 'interrupted' }
const EMPTY = { wholeBytes: 0, serial: 0, isTorn: false }

test('nothing is written after a failed write, because it would be lost with the torn line', async () => {
  const path = join(await tempFolder(), 'journal')
  const journal = new Journal(path, EMPTY, () => 1)
  journal.append(PAUSE)
  disk.isFull = true
  expect(() => journal.append(PAUSE)).toThrow(expect.objectContaining({ code: 'machine' }))
  disk.isFull = false
  const torn = await readFile(path)
  expect(() => journal.append(PAUSE)).toThrow(expect.objectContaining({ code: 'machine' }))
  expect(await readFile(path)).toEqual(torn)
  journal.close()
})

test('a torn tail is truncated, and the truncation is on disk before anything follows', async () => {
  const path = join(await tempFolder(), 'journal')
  const line = encodeLine(PAUSE, { serial: 0, synced: 0 })
  await writeFile(path, `${line}torn`)
  new Journal(path, { wholeBytes: Buffer.byteLength(line), serial: 1, isTorn: true }, () => 1).close()
  expect(disk.calls).toEqual(['ftruncate', 'fdatasync'])
  expect(await readFile(path, 'utf8')).toBe(line)
})

test('nothing is sent before its lease is on disk', async () => {
  const paths = await makeJob([{ name: 'Ada' }])
  const plan = new PlanFile(paths.plan)
  const journal = new Journal(paths.journal, EMPTY, () => 1)
  const slow = Promise.withResolvers<void>()
  Object.assign(disk, { calls: [], whenSynced: slow.promise })
  const leases = new Leases(plan, { journal, progress: new JobProgress(plan.count) }, { windowMs: 1, nowMs: () => 1 })
  const taken = leases.take(8).then((tasks) => disk.calls.push(`taken ${tasks.length}`))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(disk.calls).toEqual([])
  slow.resolve()
  await taken
  expect(disk.calls).toEqual(['fdatasync', 'taken 1'])
  journal.close()
  plan.close()
})
