import process from 'node:process'
import { errorCode } from './error-code.ts'

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
