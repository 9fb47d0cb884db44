import { readFileSync } from 'node:fs'
import { errorCode } from './error-code.ts'

/** The 22nd field of /proc/PID/stat, counted behind the name, which may hold anything. */
const START_TIME = 19

/**
 * Tells a process from all others that have had or will have its number: when it began, and in which run of the machine.
 * Empty where the system tells neither (only Linux does), or where there is no such process.
 */
export function processMark(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME]
    return `${boot}/${started}`
  } catch (error) {
    if (errorCode(error) !== undefined) return ''
    throw error
  }
}
