import { constants } from 'node:fs'
import { chmod, copyFile, type FileHandle, open, rm } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'

/**
 * A copy of the input that stays as it is, whatever happens to the original: mode 0600, synced. Where the file system can,
 * the two share their blocks. The path must be free; a copy that fails half way is taken away.
 */
export async function spoolFile(from: string, to: string): Promise<void> {
  await using source = await openInput(from)
  const stats = await source.stat()
  if (stats.isDirectory()) throw unreadable(from, 'it is a folder', undefined)
  // A named pipe, or what a shell makes of <(…), can be read only once, and only in order.
  if (!stats.isFile()) return await spoolStream(source.createReadStream({ autoClose: false }), to)
  await orRemove(to, async () => {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await chmod(to, 0o600)
    await using copy = await open(to, 'r+')
    await copy.sync()
  })
}

/** As spoolFile, for stdin. */
export async function spoolStream(from: AsyncIterable<Uint8Array | string>, to: string): Promise<void> {
  await orRemove(to, async () => {
    await using copy = await open(to, 'wx', 0o600)
    for await (const chunk of from) await copy.writeFile(chunk)
    await copy.sync()
  })
}

async function orRemove(to: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await rm(to, { force: true })
    throw toMachineError(error, to)
  }
}

async function openInput(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (cause) {
    const reason = REASONS[errorCode(cause) ?? '']
    throw reason === undefined ? toMachineError(cause, path) : unreadable(path, reason, cause)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of its path is not a folder',
}

function unreadable(path: string, reason: string, cause: unknown): CrmError {
  return new CrmError('invalid_input', `cannot read ${JSON.stringify(path)}: ${reason}`, {
    hint: 'name a file that can be read, or - for stdin',
    cause,
  })
}
