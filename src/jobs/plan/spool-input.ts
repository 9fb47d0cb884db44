import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  fdatasyncSync,
  openSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import type { InputStream } from '../../core/streams.ts'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { PlanInput } from './plan-head.ts'

/**
 * Keeps the input with the job, so that it is read as often as needed and failed rows can be shown as they were. A file is
 * cloned where the disk can do that; stdin is written as it comes.
 */
export async function spoolInput(name: string, stdin: InputStream, path: string): Promise<Omit<PlanInput, 'verdict'>> {
  if (name === '-') await spoolStream(stdin, path)
  else copyInput(name, path)
  syncFile(path)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return { name, sha256: hash.digest('hex'), size: statSync(path).size }
}

/** Failed rows are shown as they were, after a power cut too. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

function copyInput(name: string, path: string): void {
  const stats = statSync(name, { throwIfNoEntry: false })
  if (!stats?.isFile()) {
    const what = !stats ? 'there is no file' : stats.isDirectory() ? 'a folder is no input:' : 'no regular file:'
    throw new CrmError('invalid_input', `${what} ${JSON.stringify(name)}`, {
      hint: 'name a file that can be read, or - for stdin',
    })
  }
  try {
    copyFileSync(name, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    chmodSync(path, 0o600)
  } catch (error) {
    throw toMachineError(error, errorCode(error) === 'EACCES' ? name : path)
  }
}

async function spoolStream(stdin: InputStream, path: string): Promise<void> {
  try {
    await using file = await open(path, 'wx', 0o600)
    for await (const chunk of stdin) await file.appendFile(chunk)
  } catch (error) {
    throw toMachineError(error, path)
  }
}
