import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { parseExactJson } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { toMachineError } from '../files/machine-error.ts'
import { compareKeys, type SortKey, type SortMember, sortKeyOf } from './record-order.ts'

/** 32 MiB of JSON, about 100,000 contacts. Records beyond it are sorted in runs on disk. */
const MOST_HELD = 32 * 1024 * 1024

const PAGE_RECORDS = 100

export interface SortOptions {
  readonly members: readonly SortMember[]
  /** Only the first ones; undefined: all. */
  readonly limit: number | undefined
  /** The folder for runs on disk. */
  readonly folder: string
  readonly mostHeld?: number
}

export interface Sorted {
  /** To be read once; the runs on disk are closed at its end. */
  readonly pages: AsyncIterable<readonly CrmRecord[]>
  /** Of all records that were read. */
  readonly count: number
  readonly runs: number
}

/** A record as JSON, so that its size is known. */
interface Entry {
  readonly key: SortKey
  readonly json: string
}

/**
 * All records in order; equal ones stay in the order in which they were read. Holds `mostHeld` characters of JSON; with a limit
 * those of twice as many records as it asks for, if that is less.
 */
export async function sortRecords(
  pages: AsyncIterable<readonly CrmRecord[]>,
  { members, limit = Number.POSITIVE_INFINITY, folder, mostHeld = MOST_HELD }: SortOptions,
): Promise<Sorted> {
  let held: Entry[] = []
  let heldSize = 0
  let count = 0
  let file: RunFile | undefined
  const runs: Run[] = []
  const sortHeld = () => {
    held.sort((one, other) => compareKeys(one.key, other.key, members))
    if (held.length <= limit) return
    held = held.slice(0, limit)
    heldSize = held.reduce((size, { json }) => size + json.length, 0)
  }
  try {
    for await (const page of pages) {
      for (const record of page) {
        const entry = { key: sortKeyOf(record, members), json: JSON.stringify(record) }
        held.push(entry)
        heldSize += entry.json.length
      }
      count += page.length
      if (heldSize <= mostHeld && held.length < 2 * limit) continue
      sortHeld()
      if (heldSize <= mostHeld / 2) continue
      file ??= await RunFile.open(folder)
      runs.push(await file.write(held.map(({ json }) => json)))
      held = []
      heldSize = 0
    }
    sortHeld()
  } catch (error) {
    await file?.close()
    throw error
  }
  const sources = [...runs.map((run) => entriesIn(file, run, members)), heldEntries(held)]
  return { pages: merged(sources, { members, limit, file }), count, runs: runs.length }
}

async function* heldEntries(held: readonly Entry[]): AsyncGenerator<readonly ReadEntry[]> {
  for (let at = 0; at < held.length; at += PAGE_RECORDS) {
    yield held.slice(at, at + PAGE_RECORDS).map(({ key, json }) => ({ key, record: recordOf(json) }))
  }
}

async function* entriesIn(
  file: RunFile | undefined,
  run: Run,
  members: readonly SortMember[],
): AsyncGenerator<readonly ReadEntry[]> {
  if (!file) throw new Error('a run without a file')
  for await (const lines of file.lines(run)) {
    yield lines.map((json) => {
      const record = recordOf(json)
      return { key: sortKeyOf(record, members), record }
    })
  }
}

interface ReadEntry {
  readonly key: SortKey
  readonly record: CrmRecord
}

function recordOf(json: string): CrmRecord {
  return parseExactJson(json) as CrmRecord
}

interface Merge extends Pick<SortOptions, 'members'> {
  readonly limit: number
  readonly file: RunFile | undefined
}

/** The place in a run of the next record. */
interface Head {
  readonly rest: AsyncIterator<readonly ReadEntry[]>
  batch: readonly ReadEntry[]
  at: number
}

/** Of equal records, that of the earlier run is first. */
async function* merged(
  sources: readonly AsyncIterable<readonly ReadEntry[]>[],
  { members, limit, file }: Merge,
): AsyncGenerator<readonly CrmRecord[]> {
  try {
    const heads: Head[] = sources.map((source) => ({ rest: source[Symbol.asyncIterator](), batch: [], at: 0 }))
    for (const head of heads) await refill(head)
    let page: CrmRecord[] = []
    for (let count = 0; count < limit; count++) {
      const least = leastOf(heads, members)
      if (!least) break
      page.push((least.batch[least.at] as ReadEntry).record)
      least.at++
      if (least.at === least.batch.length) await refill(least)
      if (page.length < PAGE_RECORDS) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  } finally {
    await file?.close()
  }
}

async function refill(head: Head): Promise<void> {
  const { done, value } = await head.rest.next()
  head.batch = done ? [] : value
  head.at = 0
}

function leastOf(heads: readonly Head[], members: readonly SortMember[]): Head | undefined {
  let least: Head | undefined
  for (const head of heads) {
    const entry = head.batch[head.at]
    if (!entry) continue
    const best = least?.batch[least.at]
    if (!best || compareKeys(entry.key, best.key, members) < 0) least = head
  }
  return least
}

const WRITTEN_AT_ONCE = 1 << 20

const READ_AT_ONCE = 1 << 18

/** A part of the file: lines in order. */
interface Run {
  readonly start: number
  readonly end: number
}

/**
 * A temporary file of mode 0600. It is unlinked once it is open, so that the system frees it even if the process is killed.
 */
class RunFile {
  readonly #file: FileHandle
  readonly #path: string
  #end = 0

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  static async open(folder: string): Promise<RunFile> {
    const path = join(folder, `crm-sort-${randomBytes(12).toString('hex')}`)
    try {
      const file = await open(path, 'wx+', 0o600)
      await unlink(path)
      return new RunFile(file, path)
    } catch (error) {
      throw toMachineError(error, path)
    }
  }

  async write(lines: Iterable<string>): Promise<Run> {
    const start = this.#end
    let text = ''
    for (const line of lines) {
      text += `${line}\n`
      if (text.length < WRITTEN_AT_ONCE) continue
      await this.#append(text)
      text = ''
    }
    await this.#append(text)
    return { start, end: this.#end }
  }

  async #append(text: string): Promise<void> {
    let bytes = Buffer.from(text)
    try {
      while (bytes.length > 0) {
        const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, this.#end)
        this.#end += bytesWritten
        bytes = bytes.subarray(bytesWritten)
      }
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }

  async *lines({ start, end }: Run): AsyncGenerator<readonly string[]> {
    let rest: Buffer = Buffer.alloc(0)
    for (let at = start; at < end; ) {
      const chunk = Buffer.alloc(Math.min(READ_AT_ONCE, end - at))
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) throw new Error(`${this.#path} is shorter than what was written to it`)
      at += bytesRead
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
      const cut = bytes.lastIndexOf(0x0a) + 1
      rest = bytes.subarray(cut)
      if (cut > 0) yield bytes.toString('utf8', 0, cut - 1).split('\n')
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
