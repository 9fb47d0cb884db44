import { basename, dirname } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { Entry } from './entry.ts'
import { decodeLine, linesOf } from './journal-lines.ts'

export interface JournalEnd {
  /** The length of the intact part; the rest is truncated. */
  readonly wholeBytes: number
  /** The number of intact lines, and so the serial of the next one. */
  readonly serial: number
  /** Whether anything follows the intact part. */
  readonly isTorn: boolean
}

/**
 * Passes every intact entry to `take`, in order. A tail torn by a crash or a power cut ends the journal: nothing in it had
 * been synced. CrmError `machine` if a line is damaged that a later line records as synced.
 */
export function readJournal(path: string, take: (entry: Entry) => void): JournalEnd {
  let wholeBytes = 0
  let serial = 0
  let isTorn = false
  for (const { line, hasEnd } of linesOf(path)) {
    const decoded = decodeLine(line)
    if (!isTorn && hasEnd && decoded?.serial === serial) {
      take(decoded.entry)
      serial += 1
      wholeBytes += line.length + 1
    } else {
      isTorn = true
      if (decoded && decoded.synced > serial) throw damaged(path, wholeBytes)
    }
  }
  return { wholeBytes, serial, isTorn }
}

function damaged(path: string, at: number): CrmError {
  return new CrmError('machine', `${path} is damaged at byte ${at}: data that had been synced to the disk is missing`, {
    hint: `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${basename(dirname(path))} --damaged`,
  })
}
