import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Script } from 'node:vm'
import { type Bundle, compiledFolder, type Runtime, type Watch } from './bundle.ts'
import { type CodeFile, type CodePlace, keepCode } from './keep-code.ts'

/** What code is kept for, as `process` has it. */
export interface CachingRuntime extends Runtime {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly geteuid?: () => number
  on(event: 'exit', listener: (exit: number) => void): unknown
}

interface CodeCache {
  readonly bundle: Bundle
  readonly watch: Watch
}

/** Of more than a word or three, the rest are names of records and files. */
const COMMAND_WORDS = 3

/** Of a file that others can write, its content may be theirs. */
const OTHERS_WRITE = 0o022

/**
 * The bundle with the code that V8 made of it in an earlier run of the same command: a file in the user's cache folder, which the first
 * run that succeeds writes at its end. The code runs, so a folder or a file that another user owns or can write is not read, and
 * without user ids (Windows) nothing is. Undefined: nothing is kept. NODE_DISABLE_COMPILE_CACHE is Node's own variable.
 */
export function openCodeCache(
  { bundle, build }: { readonly bundle: Bundle; readonly build: string },
  runtime: CachingRuntime,
): CodeCache | undefined {
  const { env, geteuid } = runtime
  const place = cacheFolder(env)
  if (place === undefined || geteuid === undefined || env.NODE_DISABLE_COMPILE_CACHE) return undefined
  const folder = compiledFolder(join(place, build), runtime)
  const codePlace = { place, folder, path: join(folder, commandOf(runtime.argv.slice(2), bundle)), uid: geteuid() }
  const file = openCode(codePlace)
  const scripts = new Map<string, Script>()
  runtime.on('exit', (exit) => {
    const isWhole = [...scripts.values()].every((script) => script.cachedDataRejected === false)
    if (exit === 0 && !isWhole) keepCode(codePlace, scripts, file)
  })
  return {
    bundle: { ...bundle, readCompiled: (name) => file?.read(name) },
    watch: { onCompiled: (name, script) => scripts.set(name, script) },
  }
}

/** Undefined without HOME; the XDG Base Directory Specification ignores relative paths. */
function cacheFolder({ XDG_CACHE_HOME: named, HOME: home }: CachingRuntime['env']): string | undefined {
  if (named && isAbsolute(named)) return join(named, 'crm')
  return home && isAbsolute(home) ? join(home, '.cache/crm') : undefined
}

/** The words that name the command, such as `contacts.list`, as the texts of help are named. */
function commandOf(words: readonly string[], { hasText }: Bundle): string {
  for (let count = COMMAND_WORDS; count > 0; count--) {
    const named = words.slice(0, count)
    if (
      named.length === count &&
      named.every((word) => /^[a-z][a-z-]*$/.test(word)) &&
      hasText(['crm', ...named].join('.'))
    )
      return named.join('.')
  }
  return words[0] === '__complete' ? 'complete' : 'crm'
}

interface Stats {
  readonly uid: number
  readonly mode: number
}

function isOwn(stats: Stats | undefined, uid: number): boolean {
  return stats !== undefined && stats.uid === uid && (stats.mode & OTHERS_WRITE) === 0
}

/** Undefined for a file that is missing, not whole, or not of this user alone. */
function openCode({ place, path, uid }: CodePlace): CodeFile | undefined {
  try {
    if (!isOwn(lstatSync(place), uid)) return undefined
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    const stats = fstatSync(fd)
    const index = isOwn(stats, uid) ? readIndex(fd, stats.size) : undefined
    if (index === undefined) {
      closeSync(fd)
      return undefined
    }
    // Stays open: a chunk may be needed at any time, and only what is asked for is read.
    const read = (name: string) => {
      const [at, size] = index.get(name) ?? []
      return at === undefined || size === undefined ? undefined : readAt(fd, at, size)
    }
    return { names: [...index.keys()], read }
  } catch {
    // Without it, V8 compiles.
    return undefined
  }
}

type Index = ReadonlyMap<string, readonly [at: number, size: number]>

/** Four bytes with the size of the list of names and sizes, the list as JSON, and then the code. Undefined: a file that is not whole. */
function readIndex(fd: number, fileSize: number): Index | undefined {
  if (fileSize < 4) return undefined
  const listSize = readAt(fd, 0, 4).readUInt32LE()
  if (4 + listSize > fileSize) return undefined
  const index = new Map<string, readonly [number, number]>()
  let at = 4 + listSize
  for (const [name, size] of JSON.parse(readAt(fd, 4, listSize).toString()) as [string, number][]) {
    index.set(name, [at, size])
    at += size
  }
  return at === fileSize ? index : undefined
}

function readAt(fd: number, at: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size)
  readSync(fd, bytes, 0, size, at)
  return bytes
}
