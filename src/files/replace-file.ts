import { randomBytes } from 'node:crypto'
import { type Stats, writeSync } from 'node:fs'
import { open, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { OutputStream } from '../core/streams.ts'
import { errorCode, toMachineError } from './machine-error.ts'
import { renamePath } from './rename.ts'

/** The mode with which a shell creates files, before the umask. */
const USUAL_MODE = 0o666
const PERMISSIONS = 0o777

export interface NewFile {
  readonly stream: OutputStream
  /** The path of what was written so far; undefined for a pipe or device, which cannot be read again. */
  readonly path: string | undefined
}

/**
 * Writes a file completely or not at all: to a temporary file beside it, which replaces it when `write` is done and synced.
 * A link stays a link, an existing file keeps its permissions; a pipe or a device is written directly.
 */
export async function replaceFile<Result>(path: string, write: (file: NewFile) => Promise<Result>): Promise<Result> {
  try {
    const target = await orNone(realpath(path), path)
    const stats = await orNone(stat(target), undefined)
    if (!stats || stats.isFile() || stats.isDirectory()) return await writeBeside(target, stats, write)
    await using device = await open(target, 'w')
    return await write({ stream: streamOf(device.fd), path: undefined })
  } catch (error) {
    throw toMachineError(error, path)
  }
}

async function writeBeside<Result>(
  target: string,
  before: Stats | undefined,
  write: (file: NewFile) => Promise<Result>,
): Promise<Result> {
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    const result = await writeNew(temporary, before, write)
    await renamePath(temporary, target)
    return result
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeNew<Result>(
  path: string,
  before: Stats | undefined,
  write: (file: NewFile) => Promise<Result>,
): Promise<Result> {
  await using file = await open(path, 'wx', USUAL_MODE)
  if (before) await file.chmod(before.mode & PERMISSIONS)
  const result = await write({ stream: streamOf(file.fd), path })
  await file.sync()
  return result
}

/** Pages are written when they are received, so that a full disk is noticed at once. */
function streamOf(fd: number): OutputStream {
  return {
    write: (text) => {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      return true
    },
  }
}

async function orNone<Value, Other>(work: Promise<Value>, other: Other): Promise<Value | Other> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return other
    throw error
  }
}
