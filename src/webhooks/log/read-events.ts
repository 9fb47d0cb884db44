import { type FileHandle, open } from 'node:fs/promises'
import type { LoggedEvent, ReceivedEvent } from '../../core/webhook-events.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { isOtherLine, type KeptAttempt, parseAttempt } from './attempt.ts'
import { entryId, parseEntry } from './entry.ts'
import { createOutcomes } from './outcomes.ts'
import { createdAtMs, listSegments, type Segment, segmentSize } from './segments.ts'

const CHUNK_BYTES = 256 * 1024

const LINE_END = 0x0a

export interface ReadOptions {
  readonly order: 'oldest first' | 'newest first'
  /** Files last written before this time are not opened; all events of the other files are returned. */
  readonly sinceMs?: number | undefined
  /** Called for each line that is not an event and is skipped: a power cut can damage a line that was never acknowledged. */
  readonly onDamaged?: (path: string, line: DamagedLine) => void
}

export interface DamagedLine {
  /** As far as it can be read. */
  readonly id: string | undefined
  readonly sizeBytes: number
}

/**
 * Yields the events of the log in batches; other processes may write to it meanwhile. Files are ordered by the time they
 * were created.
 */
export async function* readEvents(folder: string, options: ReadOptions): AsyncGenerator<readonly ReceivedEvent[]> {
  const { order, sinceMs, onDamaged } = options
  for await (const { lines, segment } of readLines(folder, order, sinceMs)) {
    yield eventsIn(lines, (line) => onDamaged?.(segment.path, line))
  }
}

function eventsIn(lines: readonly Buffer[], onDamaged: (line: DamagedLine) => void): readonly ReceivedEvent[] {
  return lines
    .filter((line) => !isOtherLine(line))
    .flatMap((line) => {
      const event = parseEntry(line.toString())
      if (!event) onDamaged({ id: entryId(line), sizeBytes: line.length })
      return event ?? []
    })
}

/**
 * The same, with what became of each event. Oldest first reads all attempts before the first event; newest first, an
 * event follows its attempts, except those that another process wrote to an earlier file.
 */
export async function* readLoggedEvents(folder: string, options: ReadOptions): AsyncGenerator<readonly LoggedEvent[]> {
  const outcomes = createOutcomes()
  const add = (lines: readonly Buffer[]): void => {
    for (const attempt of attemptsIn(lines)) outcomes.add(attempt)
  }
  const pages =
    options.order === 'newest first' ? withAttempts(folder, options, add) : afterAttempts(folder, options, add)
  for await (const { lines, segment } of pages) {
    const events = eventsIn(lines, (line) => options.onDamaged?.(segment.path, line))
    yield events.map((event) => ({ ...event, outcome: outcomes.of(event) }))
  }
}

type AddAttempts = (lines: readonly Buffer[]) => void

async function* afterAttempts(
  folder: string,
  { order, sinceMs }: ReadOptions,
  add: AddAttempts,
): AsyncGenerator<Lines> {
  for await (const { lines } of readLines(folder, order, sinceMs)) add(lines)
  yield* readLines(folder, order, sinceMs)
}

async function* withAttempts(folder: string, { order, sinceMs }: ReadOptions, add: AddAttempts): AsyncGenerator<Lines> {
  const read = new Set<string>()
  let current: string | undefined
  for await (const page of readLines(folder, order, sinceMs)) {
    const { path } = page.segment
    if (path !== current) for (const other of await writtenSince(folder, page.segment, read)) await addFile(other)
    current = path
    if (!read.has(path)) add(page.lines)
    yield page
  }

  async function addFile(segment: Segment): Promise<void> {
    read.add(segment.path)
    for await (const { lines } of readSegments([segment], 'oldest first', sinceMs)) add(lines)
  }
}

/** The earlier files that were written to after this one was started, except those in `read`. */
async function writtenSince(folder: string, segment: Segment, read: ReadonlySet<string>): Promise<readonly Segment[]> {
  const startedAtMs = createdAtMs(segment)
  const earlier = (await listSegments(folder)).filter(({ path }) => path < segment.path && !read.has(path))
  const sizes = await Promise.all(earlier.map(segmentSize))
  return earlier.filter((_, at) => (sizes[at]?.writtenAtMs ?? 0) >= startedAtMs)
}

/** All attempts of the log, oldest first in each file. */
export async function* readAttempts(folder: string): AsyncGenerator<readonly KeptAttempt[]> {
  for await (const { lines } of readLines(folder, 'oldest first')) yield attemptsIn(lines)
}

/** The attempts that were written to a file since `fromAt`, and where the next reading of it begins. */
export async function attemptsSince({ path }: Segment, fromAt: number) {
  const attempts: KeptAttempt[] = []
  let nextAt = fromAt
  for await (const lines of linesForward(path, fromAt)) {
    for (const line of lines) nextAt += line.length + 1
    attempts.push(...attemptsIn(lines))
  }
  return { attempts, nextAt }
}

function attemptsIn(lines: readonly Buffer[]): readonly KeptAttempt[] {
  return lines.map(parseAttempt).filter((attempt) => attempt !== undefined)
}

/** A limit on the bytes read at start-up, so that a large log does not delay it. */
export const MAX_SCANNED_BYTES = 64 * 1024 * 1024

/** The ids of the newest events, oldest first. */
export async function recentIds(folder: string, maxIds: number): Promise<readonly string[]> {
  const ids: string[] = []
  let scannedBytes = 0
  for await (const { lines } of readLines(folder, 'newest first')) {
    for (const line of lines) {
      const id = entryId(line)
      if (id !== undefined) ids.push(id)
      scannedBytes += line.length
    }
    if (ids.length >= maxIds || scannedBytes >= MAX_SCANNED_BYTES) break
  }
  return ids.slice(0, maxIds).reverse()
}

interface Lines {
  readonly lines: readonly Buffer[]
  readonly segment: Segment
}

async function* readLines(folder: string, order: ReadOptions['order'], sinceMs?: number): AsyncGenerator<Lines> {
  yield* readSegments(await listSegments(folder), order, sinceMs)
}

/** `segments`: oldest first. */
async function* readSegments(
  segments: readonly Segment[],
  order: ReadOptions['order'],
  sinceMs = Number.NEGATIVE_INFINITY,
): AsyncGenerator<Lines> {
  for (const segment of order === 'newest first' ? segments.toReversed() : segments) {
    const size = await segmentSize(segment)
    if (!size || size.writtenAtMs < sinceMs) continue
    const read = order === 'newest first' ? linesBackward : linesForward
    try {
      for await (const lines of read(segment.path)) yield { lines, segment }
    } catch (error) {
      // Deleted since it was listed, by --keep of another process.
      if (errorCode(error) !== 'ENOENT') throw toMachineError(error, segment.path)
    }
  }
}

/** The complete lines of a file, from the first, or from `fromAt`; text after the last line end is still being written. */
async function* linesForward(path: string, fromAt = 0): AsyncGenerator<readonly Buffer[]> {
  await using file = await open(path)
  const endAt = (await file.stat()).size
  let carried: Buffer = Buffer.alloc(0)
  for (let at = fromAt; at < endAt; at += CHUNK_BYTES) {
    const bytes = Buffer.concat([carried, await readAt(file, at, Math.min(CHUNK_BYTES, endAt - at))])
    const lines = splitLines(bytes)
    carried = lines.pop() ?? bytes
    if (lines.length > 0) yield lines
  }
}

/** Like linesForward, from the last line to the first. */
async function* linesBackward(path: string): AsyncGenerator<readonly Buffer[]> {
  await using file = await open(path)
  let endAt = (await file.stat()).size
  let carried: Buffer = Buffer.alloc(0)
  let isTorn = true
  while (endAt > 0) {
    const startAt = Math.max(0, endAt - CHUNK_BYTES)
    const lines = splitLines(Buffer.concat([await readAt(file, startAt, endAt - startAt), carried]))
    endAt = startAt
    carried = lines.shift() ?? carried
    if (lines.length === 0) continue
    if (isTorn) lines.pop()
    isTorn = false
    if (lines.length > 0) yield lines.reverse()
  }
  if (!isTorn) yield [carried]
}

/** One element for each line end, and the rest after the last one. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, from)) {
    lines.push(bytes.subarray(from, at))
    from = at + 1
  }
  return [...lines, bytes.subarray(from)]
}

async function readAt(file: FileHandle, position: number, sizeBytes: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(sizeBytes), 0, sizeBytes, position)
  return buffer.subarray(0, bytesRead)
}
