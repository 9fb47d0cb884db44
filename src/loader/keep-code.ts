import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Script } from 'node:vm'
import { makeFolders } from '../files/folders.ts'
import { ownPid } from '../files/processes.ts'

/** The code of some chunks, as an earlier run kept it. */
export interface CodeFile {
  readonly names: readonly string[]
  readonly read: (name: string) => Uint8Array | undefined
}

export interface CodePlace {
  /** The folder of all builds. */
  readonly place: string
  readonly folder: string
  readonly path: string
  readonly uid: number
}

/** A build that made no code for this long is not in use, or makes it once more. */
const UNUSED_MS = 30 * 24 * 3_600_000

/** Writes the code of the loaded chunks, and of those that only earlier runs loaded. What cannot be written is made again by the next run. */
export function keepCode(
  { place, folder, path, uid }: CodePlace,
  scripts: ReadonlyMap<string, Script>,
  before?: CodeFile,
): void {
  const temporary = `${path}.${ownPid()}`
  try {
    if (!isInOwn(place, uid)) return
    removeUnused(place)
    makeFolders(folder)
    const others = (before?.names ?? []).filter((name) => !scripts.has(name))
    const parts = [
      ...[...scripts].map(([name, script]) => ({ name, code: script.createCachedData() })),
      ...others.map((name) => ({ name, code: before?.read(name) ?? new Uint8Array() })),
    ]
    writeCode(temporary, parts)
    renameSync(temporary, path)
  } catch {
    // A full disk, or a folder that may only be read or not even entered: the program works without, so it says nothing.
    removeIfPossible(temporary)
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // `force` ignores a missing file alone.
  }
}

/** Whether the folder, or the nearest one above it that exists, belongs to this user: `sudo` keeps the HOME of another. */
function isInOwn(folder: string, uid: number): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats !== undefined) return stats.isDirectory() && stats.uid === uid
  return dirname(folder) !== folder && isInOwn(dirname(folder), uid)
}

function removeUnused(place: string): void {
  if (!existsSync(place)) return
  for (const build of readdirSync(place, { withFileTypes: true }).filter((each) => each.isDirectory())) {
    const folder = join(place, build.name)
    // The time of a folder changes with each file in it.
    const times = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs)
    if (Math.max(...times) < Date.now() - UNUSED_MS) rmSync(folder, { recursive: true, force: true })
  }
}

/** As `code-cache.ts` reads it. On the disk before it gets its name: V8 does not check what it is given, and a power cut must not leave a part. */
function writeCode(path: string, parts: readonly { readonly name: string; readonly code: Uint8Array }[]): void {
  const list = Buffer.from(JSON.stringify(parts.map(({ name, code }) => [name, code.length])))
  const size = Buffer.alloc(4)
  size.writeUInt32LE(list.length)
  const fd = openSync(path, 'wx', 0o600)
  try {
    const bytes = Buffer.concat([size, list, ...parts.map(({ code }) => code)])
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
