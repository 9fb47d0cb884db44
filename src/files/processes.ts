import process from 'node:process'
import { errorCode } from './error-code.ts'

/** Goes into the names and contents of files that this process owns. */
export function ownPid(): number {
  return process.pid
}

/** Undefined on Windows, which has no such numbers. */
export function ownUid(): number | undefined {
  return process.getuid?.()
}

/** Whether a process with this id runs on this machine; it may be a later one that reuses the id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs as another user.
    return errorCode(error) !== 'ESRCH'
  }
}
