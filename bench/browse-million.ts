import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { browseEnv, budget } from './browse.ts'
import { benchFolder, CRM, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'
import { openBenchTerminal } from './terminal.ts'

const ROWS = 1_000_000
/** Enough for a busy machine; the pages take a sixth of it. */
const MOST_MS = 120_000

/** Peak memory of paging through a million rows, of which a hundred thousand are held. */
export async function measureMillion(): Promise<Row[]> {
  const database = join(benchFolder(), 'million.db')
  await fillContacts(database, ROWS)
  const server = await startCrm(database)
  const terminal = openBenchTerminal([process.execPath, CRM, 'browse', 'contacts'], browseEnv(server))
  try {
    await terminal.frameWith('1-35 of 500')
    terminal.write('L')
    await terminal.frameWith('Load all contacts')
    terminal.write('y')
    let most = 0
    const startedMs = performance.now()
    // Only the changed part of a line is sent again: the last page removes the plus after the number.
    for (let quiet = 0, frames = 0; quiet < 20; quiet = terminal.frames() === frames ? quiet + 1 : 0) {
      frames = terminal.frames()
      await delay(100)
      most = Math.max(most, terminal.residentMib())
      if (performance.now() - startedMs > MOST_MS) throw new Error('the rows did not come in time')
    }
    const seconds = ((performance.now() - startedMs) / 1000 - 2).toFixed(0)
    return [budget(`most memory while paging through 1,000,000 rows (${seconds} s)`, most, 450, 'MiB')]
  } finally {
    terminal.end()
    await server.stop()
  }
}
