import { open } from 'node:fs/promises'
import { toMachineError } from '../../files/machine-error.ts'

/** Bytes per read of the disk: each read waits for a turn of the event loop. */
const READ_BYTES = 512 * 1024
/** Strings made of larger chunks outlive the young generation of the heap: 60 MB more memory, and no time saved. */
const CHUNK_BYTES = 32 * 1024

export interface Chunk {
  /** Valid until the next chunk is requested: all chunks share one buffer. */
  readonly bytes: Buffer
  /** True for the last chunk, which is empty if nothing is left to read. */
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
    // The file became shorter while it was read.
    position = bytesRead === 0 ? size : position + bytesRead
    for (let at = 0; at === 0 || at < bytesRead; at += CHUNK_BYTES) {
      const end = Math.min(at + CHUNK_BYTES, bytesRead)
      yield { bytes: buffer.subarray(at, end), isLast: position >= size && end === bytesRead }
    }
  } while (position < size)
}

/** The first bytes of a file, at most so many. */
export async function readHead(path: string, bytes: number): Promise<Buffer> {
  await using file = await open(path).catch((error: unknown) => {
    throw toMachineError(error, path)
  })
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, 0)
  return buffer.subarray(0, bytesRead)
}
