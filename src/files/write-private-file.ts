import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder, toMachineError } from './machine-error.ts'
import { refuseLinkedFile } from './private-file.ts'
import { renamePath, renamePathNow } from './rename.ts'

/**
 * Replaces the file by one of mode 0600 atomically: a reader sees the old text or the new one, also after a power cut. The
 * folder must exist.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await refuseLinkedFile(path)
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    await writeNew(temporary, text)
    await renamePath(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true })
    throw toMachineError(error, path)
  }
}

/**
 * The same, synchronously, for a signal that ends the process. A symbolic link at the path is replaced, not followed.
 */
export function writePrivateFileNow(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    const file = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renamePathNow(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw toMachineError(error, path)
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  // Exclusive, which also rejects an existing link of this name.
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(text)
  await file.sync()
}
