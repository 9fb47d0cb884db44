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
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { PlanInput } from './plan-head.ts'

/**
 * Copies the input into the folder of the job, so that it can be read several times and failed rows can be shown unchanged. A
 * file is cloned if the file system supports it.
 */
export async function spoolInput(name: string, stdin: InputStream, path: string): Promise<Omit<PlanInput, 'verdict'>> {
  if (name === '-') await spoolStream(stdin, path)
  else copyInput(name, path)
  syncFile(path)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return { name, sha256: hash.digest('hex'), size: statSync(path).size }
}

/** Failed rows must be available after a power cut too. */
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
    const what = !stats ? 'no such file:' : stats.isDirectory() ? 'it is a folder:' : 'it is not a regular file:'
    throw new CrmError('invalid_input', `${what} ${JSON.stringify(name)}`, {
      hint: 'name a readable file, or - for stdin',
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
