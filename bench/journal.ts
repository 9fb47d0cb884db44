import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { Journal } from '../src/jobs/journal/journal.ts'
import { benchFolder } from './processes.ts'

const LEASED_AT_ONCE = 256
const START = { wholeBytes: 0, serial: 0, isTorn: false }

/** The cost of the journal alone for this many rows: synced leases, and results. */
export async function timeJournal(rows: number): Promise<number> {
  const path = join(benchFolder(), 'journal')
  closeSync(openSync(path, 'w', 0o600))
  const startedMs = performance.now()
  const journal = new Journal(path, START, Date.now)
  for (let from = 0; from < rows; from += LEASED_AT_ONCE) {
    const to = Math.min(rows, from + LEASED_AT_ONCE)
    journal.append({ t: 'lease', from, to, at: from * 200, time: Date.now() })
    await journal.sync()
    for (let op = from; op < to; op++) journal.addResult([op, 201, `con_${op.toString(32).padStart(12, '0')}`])
  }
  await journal.sync()
  journal.close()
  return performance.now() - startedMs
}
