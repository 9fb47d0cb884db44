import { closeSync, constants, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { CrmError } from '../core/errors.ts'

export interface ServiceLog {
  write(line: object): void
  /** It stays only when it is kept. */
  close(isKept: boolean): void
}

/** A line of JSON for each request, on disk at once, so that it is there after a crash too. */
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

function openForWriting(file: string): number {
  const hint = 'name a file of its own in a folder that is there: --keep-log service.log'
  try {
    // It is removed in the end, and what root removes may be a device.
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== false) return openSync(file, FLAGS, 0o600)
  } catch (cause) {
    throw new CrmError('machine', `cannot write ${file}: ${(cause as Error).message}`, { hint, cause })
  }
  throw new CrmError('machine', `cannot write ${file}: it is there, and is no plain file`, { hint })
}
