import { join } from 'node:path'
import { writePeople } from './people.ts'
import { benchFolder, CRM, plainEnv, ROOT, startServer, watchProcess } from './processes.ts'
import type { Row } from './table.ts'

const SIZES = [10_000, 100_000, 1_000_000] as const
const MOST_BYTES = 260e6

/** Peak memory of imports against a server that answers at once, so that only the client limits the rate. */
export async function measureMemory(): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of SIZES) {
    const folder = benchFolder()
    const file = join(folder, 'people.csv')
    await writePeople(file, size)
    const server = await startServer([join(ROOT, 'bench/floors/instant-server.mjs')], plainEnv())
    const env = {
      ...plainEnv(),
      HOME: folder,
      CRM_STATE_HOME: folder,
      CRM_BASE_URL: server.url,
      CRM_API_KEY: 'crm_key_x',
    }
    const words = [process.execPath, CRM, 'contacts', 'import', file, '--yes', '-q', '-o', 'json']
    const { peakMiB, tookMs } = await watchProcess(words, env)
    await server.stop()
    rows.push({
      what: `memory of an import of ${size.toLocaleString('en')} rows`,
      measured: `${peakMiB.toFixed(0)} MiB, ${(size / (tookMs / 1000)).toFixed(0)} rows/s`,
      peer: '260 MB',
      ratio: (peakMiB * 2 ** 20) / MOST_BYTES,
      goal: { atMost: 1 },
    })
  }
  return rows
}
