import type { Buffer } from 'node:buffer'
import { CrmError } from '../../core/errors.ts'
import type { Entry } from './entry.ts'
import { decodeLine } from './journal-line.ts'
import { linesOf } from './journal-lines.ts'

export interface JournalEnd {
  /** Of the part that is whole: what comes behind it is cut off. */
  readonly wholeBytes: number
  /** The number of whole lines, and so the serial of the next one. */
  readonly serial: number
}

/**
 * Gives every whole entry to `take`, in order. A tail that was torn off by a crash or a power cut ends the journal; it can
 * hold nothing that had been synced. CrmError `machine` when synced lines are damaged.
 */
export function readJournal(path: string, take: (entry: Entry) => void): JournalEnd {
  let wholeBytes = 0
  let serial = 0
  const behind = new DamageWatch()
  for (const { line, hasEnd } of linesOf(path)) {
    const decoded = behind.isOn || !hasEnd ? undefined : decodeLine(line)
    if (decoded?.serial === serial) {
      take(decoded.entry)
      serial += 1
      wholeBytes += line.length + 1
    } else if (behind.sees(line)) {
      throw new CrmError(
        'machine',
        `${path} is damaged at byte ${wholeBytes}: what was synced to the disk is not there`,
        {
          hint: 'check the disk; nothing more is sent for this job. Restore its folder from a backup',
        },
      )
    }
  }
  return { wholeBytes, serial }
}

/** A whole lease with a whole line behind it was synced, and with it all that came before. */
class DamageWatch {
  isOn = false
  #hasLease = false

  /** Whether a line behind the first damaged one shows that the damage is of synced lines. */
  sees(line: Buffer): boolean {
    this.isOn = true
    const decoded = decodeLine(line)
    if (!decoded) return false
    if (this.#hasLease) return true
    this.#hasLease = decoded.entry.t === 'lease' || decoded.entry.t === 'again'
    return false
  }
}
