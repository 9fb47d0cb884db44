import process from 'node:process'
import { errorCode } from './error-code.ts'

/** Whether a process of this number runs on this machine; it may be another one than is meant. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, as another user.
    return errorCode(error) !== 'ESRCH'
  }
}
