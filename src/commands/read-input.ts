import { readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'

/** The whole of a file, or of stdin when it is named by `-`. Bytes that are not UTF-8 are refused, never replaced. */
export async function readInput(ctx: Context, name: string, flag: string): Promise<string> {
  if (name === '-' && ctx.flags.isKeyOnStdin && flag !== '--key-stdin') {
    throw new CrmError('usage', `${flag} - and --key-stdin both want stdin`, { hint: 'use --key-file or CRM_API_KEY' })
  }
  const bytes = name === '-' ? await readStream(ctx.io.stdin) : await readNamedFile(name, flag)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CrmError('invalid_input', `${flag} ${name} is not UTF-8 text`, {
      cause,
      hint: 'convert it to UTF-8, for example with iconv',
    })
  }
}

async function readNamedFile(path: string, flag: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (cause as Error).message
    throw new CrmError('invalid_input', `cannot read ${flag} ${JSON.stringify(path)}: ${reason}`, {
      cause,
      hint: `name a file that can be read, or - for stdin`,
    })
  }
}

async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk))
  return Buffer.concat(chunks)
}
