import { join } from 'node:path'
import { browseEnv, budget } from './browse.ts'
import { benchFolder, CRM, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'
import { openBenchTerminal } from './terminal.ts'

/** The growth of memory between frame 5,000 and frame 20,000 shows whether frames leak. */
export async function measureFrames(): Promise<Row[]> {
  const database = join(benchFolder(), 'contacts.db')
  await fillContacts(database, 1_000)
  const server = await startCrm(database)
  const terminal = openBenchTerminal([process.execPath, CRM, 'browse', 'contacts'], browseEnv(server))
  try {
    await terminal.frameWith('1-35 of 500')
    await terminal.drawFrames(5_000)
    const before = terminal.residentMib()
    await terminal.drawFrames(15_000)
    const growth = terminal.residentMib() - before
    return [budget(`growth of ${before.toFixed(0)} MiB from 5,000 to 20,000 frames`, growth, 30, 'MiB')]
  } finally {
    terminal.end()
    await server.stop()
  }
}
