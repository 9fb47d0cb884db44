import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { besideNode, timeNode } from './beside-node.ts'
import { benchFolder, CRM, cpuOfCommands, median, plainEnv, ROOT, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

/**
 * Processor time of whole processes beside `node -e 0` of the same runtime, in 25 pairs, with what Node keeps of earlier runs, and beside
 * gh where it is installed. CRM_STANDALONE names the `crm` of an unpacked archive, and CRM_BEFORE the `bin/crm.js` of another checkout.
 */
export async function measureStartUp(): Promise<Row[]> {
  // With a record, because an empty list is asked for twice.
  const database = join(benchFolder(), 'one.db')
  await fillContacts(database, 1)
  const server = await startCrm(database)
  const env = { ...plainEnv(), HOME: benchFolder(), CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const node = process.execPath
  const { CRM_STANDALONE: standalone, CRM_BEFORE: before } = process.env
  const list = ['contacts', 'list', '--limit', '1', '-o', 'json']
  const installed = installedCrm()
  const measured: readonly (readonly [what: string, command: readonly string[], atMost?: number])[] = [
    ['crm --version', [node, CRM, '--version'], 1.1],
    ['crm --help', [node, CRM, '--help'], 2.5],
    ['a Tab behind crm contacts get', [node, CRM, '__complete', 'fish', 'contacts', 'get', ''], 1.6],
    ['crm contacts list --limit 1 -o json', [node, CRM, ...list], 2.5],
    ['the same of an installed package', [node, installed, ...list], 2.5],
    ['the same with nothing kept', ['env', 'NODE_DISABLE_COMPILE_CACHE=1', node, installed, ...list]],
    ['crm contacts list --limit 1 (table)', [node, CRM, 'contacts', 'list', '--limit', '1']],
    ...(spawnSync('gh', ['--version']).status === 0
      ? [['gh --version, for comparison', ['gh', '--version']] as const]
      : []),
    ...(standalone === undefined
      ? []
      : ([
          ['--version of the standalone program', [standalone, '--version'], 1.1],
          ['its list --limit 1 -o json', [standalone, ...list], 2.5],
        ] as const)),
    ...(before === undefined
      ? []
      : ([
          ['--help of the tree before', [node, before, '--help']],
          ['its list --limit 1 -o json', [node, before, ...list]],
        ] as const)),
  ]
  const commands = Object.fromEntries(measured.map(([, command], place) => [`c${place}`, command]))
  // Once, so that what Node keeps is there.
  cpuOfCommands(commands, 1, env)
  const times = cpuOfCommands({ bare: [node, '-e', '0'], ...commands }, 25, env)
  await server.stop()
  const rows = measured.map(
    ([what, , atMost], place): Row => ({
      what,
      measured: `${times[`c${place}`]?.ms.toFixed(0)} ms CPU`,
      peer: `node -e 0: ${times.bare?.ms.toFixed(0)} ms`,
      ratio: times[`c${place}`]?.ratio ?? Number.NaN,
      goal: atMost === undefined ? undefined : { atMost },
    }),
  )
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
