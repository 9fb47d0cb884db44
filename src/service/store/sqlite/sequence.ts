import { nextSerial, writeTimeMs } from '../serials.ts'
import type { Connection } from './connection.ts'

/**
 * The serials of a transaction. The last one is a row of its own and not the highest id of a table: that would fall
 * back when the newest record is deleted, and give its id to another.
 */
export interface Sequence {
  timeMs(): number
  next(): number
  save(): void
}

export function readSequence(db: Connection, now: () => number): Sequence {
  const [saved] = db.get<[number]>('SELECT last_serial FROM sequence') ?? [0]
  let last = saved
  return {
    timeMs: () => writeTimeMs(last, now()),
    next: () => {
      last = nextSerial(last, now())
      return last
    },
    save: () => {
      if (last !== saved) db.run('UPDATE sequence SET last_serial = ?', last)
    },
  }
}
