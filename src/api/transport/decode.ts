import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { errorCode } from '../../files/machine-error.ts'
import { oneLine } from '../errors/one-line.ts'
import { CUT, MAX_ANSWER_BYTES } from './exchange.ts'

const DECODERS = { gzip: gunzip, 'x-gzip': gunzip, deflate: inflate, br: brotliDecompress, zstd: zstdDecompress }

/**
 * The decompressed body, or a clause with the reason why it cannot be decompressed. crm requests no coding, but a request
 * without Accept-Encoding allows all (RFC 9110 section 12.5.3).
 */
export async function decodeBody(body: Buffer, encoding: string): Promise<Buffer | string> {
  const name = encoding.trim().toLowerCase()
  if (!Object.hasOwn(DECODERS, name)) return `the answer has an unknown content encoding (${oneLine(encoding, 60)})`
  const decoder = promisify(DECODERS[name as keyof typeof DECODERS]) as DecodeFunction
  try {
    return await decoder(body, { maxOutputLength: MAX_ANSWER_BYTES })
  } catch (error) {
    // All four codings use this code for truncated input.
    if (errorCode(error) === 'Z_BUF_ERROR') return CUT
    if (error instanceof RangeError) return 'the decompressed answer is larger than 64 MiB'
    return `the answer has the content encoding ${encoding}, but is not compressed`
  }
}

type DecodeFunction = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>
