import { createHash } from 'node:crypto'
import { chmodSync, constants, copyFileSync, createReadStream, type Stats, statSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { CrmError } from '../../core/errors.ts'
import type { InputStream } from '../../core/streams.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { PlanInput } from '../plan/plan-format.ts'
import type { TextualFormat } from './row.ts'
import { cellName } from './workbook/cell-names.ts'

/**
 * Copies the input into the folder of the job, so that it can be read several times and failed rows can be shown unchanged. A
 * file is cloned if the file system supports it.
 */
export async function spoolInput(name: string, stdin: InputStream, path: string): Promise<void> {
  try {
    if (name === '-') return await writeFile(path, stdin, { flag: 'wx', mode: 0o600 })
    refuseOther(name)
    copyFileSync(name, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    chmodSync(path, 0o600)
  } catch (error) {
    throw toMachineError(error, name !== '-' && errorCode(error) === 'EACCES' ? name : path)
  }
}

function refuseOther(name: string): void {
  const stats = statsOf(name)
  if (stats?.isFile()) return
  const what = !stats ? 'no such file:' : stats.isDirectory() ? 'it is a folder:' : 'it is not a regular file:'
  throw new CrmError('invalid_input', `${what} ${JSON.stringify(name)}`, {
    hint: 'name a readable file, or - for stdin',
  })
}

function statsOf(name: string): Stats | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false })
  } catch (error) {
    throw toMachineError(error, name)
  }
}

/** What a plan keeps of the spooled input, which is on disk when it returns: failed rows must be available after a power cut, too. */
export async function describeInput(name: string, path: string): Promise<Omit<PlanInput, 'verdict'>> {
  await using file = await open(path, 'r+')
  await file.datasync()
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { name, sha256: hash.digest('hex'), size: statSync(path).size }
}

/** Strings made of larger chunks outlive the young generation of the heap: 60 MB more memory, and no time saved. */
const CHUNK_BYTES = 32 * 1024

export interface Chunk {
  readonly bytes: Buffer
  /** True for the last chunk, which is empty in an empty file. */
  readonly isLast: boolean
}

export async function* readChunks(path: string): AsyncGenerator<Chunk> {
  let waiting: Buffer | undefined
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      if (waiting) yield { bytes: waiting, isLast: false }
      waiting = bytes
    }
  } catch (error) {
    throw toMachineError(error, path)
  }
  yield { bytes: waiting ?? Buffer.alloc(0), isLast: true }
}

/** The bytes of a file from `start` on, at most so many. */
export function readHead(path: string, bytes: number, start = 0): Promise<Buffer> {
  return buffer(createReadStream(path, { start, end: start + bytes - 1 }))
}

export interface InputPlace {
  /** From 1. */
  readonly line: number
  /** From 1; undefined: the line is the place. */
  readonly column?: number | undefined
}

interface InputFault extends InputPlace {
  /** Of a workbook; its lines are rows. */
  readonly sheet?: string | undefined
  /** The input as named on the command line. */
  readonly name: string
  /** In lower case: what was found, and what was expected. */
  readonly what: string
  readonly hint: string
  readonly cause?: unknown
}

/** An error that makes the rest of an input unreadable. It states the place and what to change. */
export function inputError({ name, sheet, line, column, what, hint, cause }: InputFault): CrmError {
  const place = sheet === undefined ? positionText(line, column) : cellName(sheet, `${line}:${line}`)
  return new CrmError('invalid_input', `${inputName(name)}, ${place}: ${what}`, { hint, cause })
}

export function positionText(line: number, column: number | undefined): string {
  return column === undefined ? `line ${line}` : `line ${line}, column ${column}`
}

export function inputName(name: string): string {
  return name === '-' ? 'stdin' : name
}

/** The depth that expressions see; recursion over a value needs a bound. */
const MOST_LEVELS = 256

export const TOO_DEEP = `nested deeper than ${MOST_LEVELS} levels`

const TEXT_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]/gs

export function isTooDeep(json: string): boolean {
  if (json.length <= MOST_LEVELS) return false
  let level = 0
  for (const [found] of json.matchAll(TEXT_OR_BRACKET)) {
    if (found === '[' || found === '{') level++
    else if (found === ']' || found === '}') level--
    if (level > MOST_LEVELS) return true
  }
  return false
}

const BY_ENDING: Readonly<Record<string, TextualFormat>> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

/** By the extension of the name; if that is unknown, by the beginning of the text. */
export function detectFormat(name: string, start: string): TextualFormat {
  return formatOfName(name) ?? formatOfText(start)
}

export function formatOfName(name: string): TextualFormat | undefined {
  return BY_ENDING[extname(name).toLowerCase()]
}

function formatOfText(start: string): TextualFormat {
  if (/^\s*\{\s*(?:"|\})/.test(start)) return 'jsonl'
  if (/^\s*\[\s*(?:\{|\])/.test(start)) return 'json'
  const afterComments = start.replace(/^(?:[ \t]*(?:#.*)?\r?\n)+/, '')
  if (/^(?:%YAML |---\s|- |[\w"]+: )/.test(afterComments)) return 'yaml'
  const [head = ''] = start.split(/[\r\n]/, 1)
  return head.includes('\t') && !/[,;|]/.test(head) ? 'tsv' : 'csv'
}
