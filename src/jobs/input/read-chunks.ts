import { open } from 'node:fs/promises'
import { toMachineError } from '../../files/machine-error.ts'

/** Asked of the disk at once: each time the loop has to wait its turn. */
const READ_BYTES = 512 * 1024
/** What is made of larger chunks outlives the young generation, which costs 60 MB of memory and wins no time. */
const CHUNK_BYTES = 32 * 1024

export interface Chunk {
  /** Until the next chunk is asked for: all of them stand in the same memory. */
  readonly bytes: Buffer
  /** Said by the last one, which is there, empty, also when nothing is left to read. */
  readonly isLast: boolean
}

/** The bytes of a file from `start` to its end. */
export async function* readChunks(path: string, start: number): AsyncGenerator<Chunk> {
  await using file = await open(path).catch((error: unknown) => {
    throw toMachineError(error, path)
  })
  const { size } = await file.stat()
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size))
  let position = Math.min(start, size)
  do {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - position), position)
    // It became shorter while it was read.
    position = bytesRead === 0 ? size : position + bytesRead
    for (let at = 0; at === 0 || at < bytesRead; at += CHUNK_BYTES) {
      const end = Math.min(at + CHUNK_BYTES, bytesRead)
      yield { bytes: buffer.subarray(at, end), isLast: position >= size && end === bytesRead }
    }
  } while (position < size)
}

/** The first bytes of a file, as many as there are. */
export async function readHead(path: string, bytes: number): Promise<Buffer> {
  await using file = await open(path).catch((error: unknown) => {
    throw toMachineError(error, path)
  })
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, 0)
  return buffer.subarray(0, bytesRead)
}
