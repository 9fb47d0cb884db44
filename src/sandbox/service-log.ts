import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
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

function openForWriting(file: string): number {
  try {
    return openSync(file, 'w', 0o600)
  } catch (cause) {
    throw new CrmError('machine', `cannot write ${file}: ${(cause as Error).message}`, {
      hint: 'name a file in a folder that is there: --keep-log service.log',
      cause,
    })
  }
}
