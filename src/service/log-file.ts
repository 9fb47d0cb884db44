import { closeSync, openSync, writeSync } from 'node:fs'
import { CrmError } from '../core/errors.ts'
import type { OutputStream } from '../core/streams.ts'
import { toMachineError } from '../files/machine-error.ts'

export interface LogFile {
  write(line: string): void
  /** Opens the path again, whose file another program has renamed. CrmError `machine` if that fails: the old one stays. */
  reopen(): void
}

/** A file that is only appended to. Lines that cannot be written are lost, which stderr says once. */
export function openLogFile(path: string, stderr: Pick<OutputStream, 'write'>): LogFile {
  const open = () => {
    try {
      return openSync(path, 'a', 0o600)
    } catch (error) {
      throw toMachineError(error, path)
    }
  }
  let file = open()
  let isLosing = false
  return {
    write: (line) => {
      try {
        // Waits, so that the lines of a process that ends are there.
        writeSync(file, line)
        isLosing = false
      } catch (error) {
        const failure = toMachineError(error, path)
        if (!(failure instanceof CrmError)) throw failure
        if (!isLosing) stderr.write(`crm: the log loses lines: ${failure.message}\n`)
        isLosing = true
      }
    },
    reopen: () => {
      const before = file
      file = open()
      closeSync(before)
    },
  }
}
