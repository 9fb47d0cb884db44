import { type FileHandle, open } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024
const LINE_END = 0x0a

/** The whole lines of a file as it is now, from the first; what stands behind the last line end is still being written. */
export async function* linesForward(path: string): AsyncGenerator<readonly Buffer[]> {
  await using file = await open(path)
  const endAt = (await file.stat()).size
  let carried: Buffer = Buffer.alloc(0)
  for (let at = 0; at < endAt; at += CHUNK_BYTES) {
    const bytes = Buffer.concat([carried, await readAt(file, at, Math.min(CHUNK_BYTES, endAt - at))])
    const lines = splitLines(bytes)
    carried = lines.pop() ?? bytes
    if (lines.length > 0) yield lines
  }
}

/** As linesForward, from the last line to the first. */
export async function* linesBackward(path: string): AsyncGenerator<readonly Buffer[]> {
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

/** As many as there are line ends, and what stands behind the last one. */
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
