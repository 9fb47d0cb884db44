import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Random } from './random.ts'

/** No machine that has lost its power is back at once. */
const SECONDS_OFF = 60

/**
 * Takes from every file below `folder` what was not synced, as a power cut may: all of it, a part of it, or a part with
 * zeros where blocks were not written.
 */
export function cutPower(folder: string, syncedLog: string, random: Random): void {
  if (!existsSync(folder)) return
  const syncedBytes = readSynced(syncedLog)
  const off = Date.now() / 1000 - SECONDS_OFF
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const { ino, size } = statSync(file)
    const synced = Math.min(size, syncedBytes.get(ino) ?? 0)
    if (synced < size) loseTail(file, { synced, size }, random)
    utimesSync(file, off, off)
  }
}

function readSynced(log: string): Map<number, number> {
  const synced = new Map<number, number>()
  if (!existsSync(log)) return synced
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [ino = 0, size = 0] = line.split(' ').map(Number)
    synced.set(ino, size)
  }
  return synced
}

function loseTail(file: string, { synced, size }: { synced: number; size: number }, random: Random): void {
  const kept = random.chance(0.5) ? synced : random.between(synced, size)
  truncateSync(file, kept)
  if (kept === synced || random.chance(0.5)) return
  const zeros = Math.min(512, kept - synced)
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(zeros), 0, zeros, random.between(synced, kept - zeros))
  closeSync(fd)
}
