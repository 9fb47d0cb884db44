import { readFile, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { CrmError } from '../core/errors.ts'
import type { Io } from '../core/streams.ts'

/** Where stdin is, and whether the key is on it. */
export interface InputContext {
  readonly io: Pick<Io, 'stdin'>
  readonly flags: { readonly isKeyOnStdin: boolean }
}

/** The whole of a file, or of stdin when it is named by `-`. */
export async function readInputBytes(ctx: InputContext, name: string, flag: string): Promise<Buffer> {
  if (name === '-' && ctx.flags.isKeyOnStdin && flag !== '--key-stdin') {
    throw new CrmError('usage', `${flag} - and --key-stdin both want stdin`, { hint: 'use --key-file or CRM_API_KEY' })
  }
  return name === '-' ? await readStream(ctx.io.stdin) : await readNamedFile(name, flag)
}

/** As text. Bytes that are not UTF-8 are refused, never replaced. */
export async function readInput(ctx: InputContext, name: string, flag: string): Promise<string> {
  const bytes = await readInputBytes(ctx, name, flag)
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
    const isJson = /^\s*[{[]/.test(path)
    throw new CrmError('invalid_input', `cannot read ${flag} ${JSON.stringify(path)}: ${readFault(cause)}`, {
      cause,
      hint: isJson
        ? `that is JSON, not a file: pipe it in with ${flag} -`
        : 'name a file that can be read, or - for stdin',
    })
  }
}

async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** What a system error of reading a file means, in words. */
export function readFault(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  const words: Record<string, string> = {
    ENOENT: 'no such file',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    ENAMETOOLONG: 'the name is too long',
  }
  return words[code ?? ''] ?? message
}

/** Of a file that the user named; false where files have no mode. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  return platform() !== 'win32' && (mode & 0o044) !== 0
}
