import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { besideNode, timeNode } from './beside-node.ts'
import { benchFolder, CRM, median, plainEnv, ROOT, startCrm, timeCommands } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

/**
 * Whole processes beside `node -e 0` of the same runtime, and beside gh where it is installed. CRM_BINARY names a program of
 * `npm run standalone`, which is measured as well.
 */
export async function measureStartUp(): Promise<Row[]> {
  // With a record, because an empty list is asked for twice.
  const database = join(benchFolder(), 'one.db')
  await fillContacts(database, 1)
  const server = await startCrm(database)
  const env = { ...plainEnv(), HOME: benchFolder(), CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const node = process.execPath
  const file = process.env.CRM_BINARY
  const hasGh = spawnSync('gh', ['--version']).status === 0
  const installed = installedCrm()
  const list = ['contacts', 'list', '--limit', '1', '-o', 'json']
  const times = timeCommands(
    {
      bare: [node, '-e', '0'],
      version: [node, CRM, '--version'],
      help: [node, CRM, '--help'],
      list: [node, CRM, ...list],
      installed: [node, installed, ...list],
      // As every first run of a command, which also looks for a cache.
      uncached: ['env', 'NODE_DISABLE_COMPILE_CACHE=1', node, installed, ...list],
      tab: [node, CRM, '__complete', 'fish', 'contacts', 'get', ''],
      table: [node, CRM, 'contacts', 'list', '--limit', '1'],
      ...(hasGh && { gh: ['gh', '--version'] }),
      ...(file !== undefined && {
        fileVersion: [file, '--version'],
        fileList: [file, 'contacts', 'list', '--limit', '1', '-o', 'json'],
      }),
    },
    25,
    env,
  )
  await server.stop()
  const row = (what: string, name: string, goal: Row['goal']): Row => ({
    what,
    measured: `${times[name]?.toFixed(0)} ms`,
    peer: `node -e 0: ${times.bare?.toFixed(0)} ms`,
    ratio: (times[name] ?? 0) / (times.bare ?? 1),
    goal,
  })
  const rows = [
    row('crm --version', 'version', { atMost: 1.05 }),
    row('crm --help', 'help', { atMost: 1.1 }),
    row('a Tab behind crm contacts get', 'tab', { atMost: 1.3 }),
    row('crm contacts list --limit 1 -o json', 'list', { atMost: 2 }),
    row('the same of an installed package, with the code that its first run kept', 'installed', { atMost: 2 }),
    row('the same without kept code', 'uncached', undefined),
    row('crm contacts list --limit 1 (table)', 'table', undefined),
  ]
  if (hasGh) rows.push({ ...row('gh --version, for comparison', 'gh', undefined) })
  if (file !== undefined) {
    rows.push(row('--version of the single file', 'fileVersion', { atMost: 1.1 }))
    rows.push(row('its list --limit 1 -o json', 'fileList', { atMost: 1.9 }))
  }
  return [...rows, await firstAnswer('first answer of crm serve, new database', join(benchFolder(), 'new.db'), 100)]
}

/** A copy of what a package has. */
function installedCrm(): string {
  const folder = benchFolder()
  for (const part of ['package.json', 'bin', 'dist/cli', 'connectors'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  return join(folder, 'bin/crm.js')
}

/** From the start of the process to the first answer of a list. */
export async function firstAnswer(what: string, database: string, goalMs: number): Promise<Row> {
  const [times, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < 7; round++) {
    bare.push(timeNode())
    const startedMs = performance.now()
    const server = await startCrm(database)
    const response = await fetch(`${server.url}/v1/contacts?limit=1`, {
      headers: { authorization: `Bearer ${server.key}` },
    })
    if (!response.ok) throw new Error(`${what}: ${response.status}`)
    times.push(performance.now() - startedMs)
    await server.stop()
  }
  return besideNode({ what, tookMs: median(times), bareMs: median(bare), goalMs })
}
