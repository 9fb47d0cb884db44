import { Buffer } from 'node:buffer'
import { closeSync, constants, lstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { CrmError } from '../core/errors.ts'

export interface ServiceLog {
  write(line: object): void
  /** Deletes the file unless `isKept`. */
  close(isKept: boolean): void
}

/** One line of JSON per request, written synchronously so that it survives a crash. */
export function openServiceLog(file: string): ServiceLog {
  const fd = openForWriting(file)
  return {
    write: (line) => {
      writeSync(fd, `${JSON.stringify(line)}\n`)
    },
    close: (isKept) => {
      closeSync(fd)
      if (!isKept) rmSync(file)
    },
  }
}

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
const FIRST_BYTES = 32

function openForWriting(file: string): number {
  const hint = 'name a new file in an existing folder: --keep-log service.log'
  try {
    if (mayBeReplaced(file)) return openSync(file, FLAGS, 0o600)
  } catch (cause) {
    throw new CrmError('machine', `cannot write ${file}: ${(cause as Error).message}`, { hint, cause })
  }
  throw new CrmError('machine', `cannot write ${file}: the file exists and is not a sandbox log`, { hint })
}

/** The file is deleted at the end, so only a log of an earlier sandbox may be replaced. Its lines begin with `level`. */
function mayBeReplaced(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return true
  if (!stats.isFile()) return false
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const start = Buffer.alloc(FIRST_BYTES)
    return stats.size === 0 || start.toString('latin1', 0, readSync(fd, start)).startsWith('{"level":"')
  } finally {
    closeSync(fd)
  }
}
