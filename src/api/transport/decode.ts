import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { errorCode } from '../../files/error-code.ts'
import { CUT, MAX_ANSWER_BYTES } from './exchange.ts'

const DECODERS = { gzip: gunzip, 'x-gzip': gunzip, deflate: inflate, br: brotliDecompress, zstd: zstdDecompress }

/**
 * The body as it was before the server compressed it, or a clause that says why there is none. We ask for no coding, but
 * a request that names none allows all (RFC 9110 section 12.5.3).
 */
export async function decodeBody(body: Buffer, encoding: string): Promise<Buffer | string> {
  const name = encoding.trim().toLowerCase()
  if (!Object.hasOwn(DECODERS, name)) return `the answer is compressed in a way that is not known here (${encoding})`
  const decoder = promisify(DECODERS[name as keyof typeof DECODERS]) as DecodeFunction
  try {
    return await decoder(body, { maxOutputLength: MAX_ANSWER_BYTES })
  } catch (error) {
    // The code of all four codings for a truncated input.
    if (errorCode(error) === 'Z_BUF_ERROR') return CUT
    if (error instanceof RangeError) return 'the answer is more than 64 MiB once it is decompressed'
    return `the answer is said to be compressed (${encoding}), and it is not`
  }
}

type DecodeFunction = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>
