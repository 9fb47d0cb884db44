import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { OutputStream } from '../core/streams.ts'
import { errorCode, syncFolder, toMachineError } from './machine-error.ts'
import { refuseLinkedFile } from './private-file.ts'

// Files are written to a temporary one beside them, which is on disk before it takes the name: a reader sees the old text or the
// new one, also after a power cut.

/** The mode with which a shell creates files, before the umask. */
const USUAL_MODE = 0o666
const PRIVATE_MODE = 0o600
const PERMISSIONS = 0o777

export interface NewFile {
  readonly stream: OutputStream
  /** The path of what was written so far; undefined for a pipe or device, which cannot be read again. */
  readonly path: string | undefined
}

/**
 * Writes a file completely or not at all: it takes its name when `write` is done. A link stays a link, an existing file keeps
 * its permissions; a pipe or a device is written directly.
 */
export async function replaceFile<Result>(path: string, write: (file: NewFile) => Promise<Result>): Promise<Result> {
  try {
    const target = await orNone(realpath(path), path)
    const before = await orNone(stat(target), undefined)
    if (before && !before.isFile() && !before.isDirectory()) {
      await using device = await open(target, 'w')
      return await write({ stream: streamOf(device.fd), path: undefined })
    }
    return await writeBeside(target, USUAL_MODE, async (file, temporary) => {
      if (before) await file.chmod(before.mode & PERMISSIONS)
      return await write({ stream: streamOf(file.fd), path: temporary })
    })
  } catch (error) {
    throw toMachineError(error, path)
  }
}

/** Replaces the file by one of mode 0600. The folder must exist; a symbolic link at the path is a CrmError `machine`. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await refuseLinkedFile(path)
  try {
    await writeBeside(path, PRIVATE_MODE, (file) => file.writeFile(text))
    await syncFolder(dirname(path))
  } catch (error) {
    throw toMachineError(error, path)
  }
}

/** The same, synchronously, for a signal that ends the process. A symbolic link at the path is replaced, not followed. */
export function writePrivateFileNow(path: string, text: string): void {
  const temporary = temporaryFor(path)
  try {
    const file = openSync(temporary, 'wx', PRIVATE_MODE)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renamePathNow(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw toMachineError(error, path)
  }
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
}

type Write<Result> = (file: FileHandle, path: string) => Promise<Result>

async function writeBeside<Result>(target: string, mode: number, write: Write<Result>): Promise<Result> {
  const temporary = temporaryFor(target)
  try {
    const result = await writeNew(temporary, mode, write)
    await renamePath(temporary, target)
    return result
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeNew<Result>(path: string, mode: number, write: Write<Result>): Promise<Result> {
  // Exclusive, which also rejects an existing link of this name.
  await using file = await open(path, 'wx', mode)
  const result = await write(file, path)
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

/** Windows refuses to rename, or to rename over, a file that a virus scanner or another program has open, most often for a moment. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])

const WAITS_MS = [10, 20, 50, 100, 200, 400] as const

/** Renames a file or folder, over one of the new name. */
export async function renamePath(from: string, to: string): Promise<void> {
  await untilFree(() => rename(from, to))
}

/** Tries again under Windows, for most of a second. */
export async function untilFree(work: () => Promise<void>, system: NodeJS.Platform = platform()): Promise<void> {
  for (const waitMs of system === 'win32' ? WAITS_MS : []) {
    try {
      await work()
      return
    } catch (error) {
      if (!IN_USE.has(errorCode(error))) throw error
      await delay(waitMs)
    }
  }
  await work()
}

/** As renamePath, for a signal that ends the process. */
function renamePathNow(from: string, to: string): void {
  for (const waitMs of platform() === 'win32' ? WAITS_MS : []) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (!IN_USE.has(errorCode(error))) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
    }
  }
  renameSync(from, to)
}
