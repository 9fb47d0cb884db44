import { basename, dirname } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { Entry } from './entry.ts'
import { decodeLine, linesOf } from './journal-lines.ts'

export interface JournalEnd {
  /** Of the part that is whole: what comes behind it is cut off. */
  readonly wholeBytes: number
  /** The number of whole lines, and so the serial of the next one. */
  readonly serial: number
  /** Whether anything comes behind it. */
  readonly isTorn: boolean
}

/**
 * Gives every whole entry to `take`, in order. A tail that was torn off by a crash or a power cut ends the journal: it
 * holds nothing that had been synced. CrmError `machine` when a line is damaged that a later one knows to have been synced.
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
  return new CrmError('machine', `${path} is damaged at byte ${at}: what had been synced to the disk is not there`, {
    hint: `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${basename(dirname(path))} --damaged`,
  })
}
