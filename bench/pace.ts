import { join } from 'node:path'
import { type CountedAnswer, startCountingProxy } from './counting-proxy.ts'
import { writePeople } from './people.ts'
import { benchFolder, CRM, plainEnv, startCrm, watchProcess } from './processes.ts'
import type { Row } from './table.ts'

const LIMIT = 100
const WINDOW_MS = 10_000
/** Enough for six windows, of which the first and the last are partial. */
const ROWS = 650

interface Scenario {
  readonly name: string
  readonly processes: number
  readonly isSilent: boolean
  readonly mostRefused: number
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'limits stated', processes: 1, isSilent: false, mostRefused: 0.005 },
  { name: 'limits stated, two processes', processes: 2, isSilent: false, mostRefused: 0.005 },
  { name: 'limits not stated', processes: 1, isSilent: true, mostRefused: 0.04 },
  { name: 'limits not stated, two processes', processes: 2, isSilent: true, mostRefused: 0.06 },
]

/** Imports against a limit of 100 requests in 10 s. They wait most of the time, so all scenarios run at once. */
export async function measurePace(): Promise<Row[]> {
  const rows = await Promise.all(SCENARIOS.map(runScenario))
  return rows.flat()
}

async function runScenario({ name, processes, isSilent, mostRefused }: Scenario): Promise<Row[]> {
  const folder = benchFolder()
  const server = await startCrm(join(folder, 'crm.db'), ['--rate-limit', `${LIMIT}/${WINDOW_MS / 1000}s`])
  const proxy = await startCountingProxy(server.url, isSilent)
  const env = { ...plainEnv(), HOME: folder, CRM_STATE_HOME: folder, CRM_BASE_URL: proxy.url, CRM_API_KEY: server.key }
  const flags = ['--rate-share', '100%', '--yes', '-q', '-o', 'json']
  const imports = Array.from({ length: processes }, async (_, number) => {
    const file = join(folder, `people-${number}.csv`)
    await writePeople(file, ROWS / processes, `Firm ${number}`)
    await watchProcess([process.execPath, CRM, 'contacts', 'import', file, ...flags], env)
  })
  await Promise.all(imports)
  proxy.close()
  await server.stop()
  const taken = shareTaken(proxy.answers)
  const refused = proxy.answers.filter(({ status }) => status === 429).length / proxy.answers.length
  const what = `${LIMIT} in ${WINDOW_MS / 1000} s, ${name}`
  return [
    {
      what: `${what}: rate used`,
      measured: `${(taken * 100).toFixed(1)} %`,
      peer: 'the allowed rate',
      ratio: taken,
      goal: isSilent ? undefined : { atLeast: 0.95 },
    },
    {
      what: `${what}: refused`,
      measured: `${(refused * 100).toFixed(2)} %`,
      peer: `${mostRefused * 100} %`,
      ratio: refused / mostRefused,
      goal: { atMost: 1 },
    },
  ]
}

/** The share used of the complete windows of the run. */
function shareTaken(answers: readonly CountedAnswer[]): number {
  const accepted = answers.filter(({ status }) => status < 300).map(({ atMs }) => atMs)
  const windowOf = (atMs: number) => Math.floor((performance.timeOrigin + atMs) / WINDOW_MS)
  const [first, last] = [windowOf(accepted[0] ?? 0), windowOf(accepted.at(-1) ?? 0)]
  const inside = accepted.filter((atMs) => windowOf(atMs) > first && windowOf(atMs) < last)
  return inside.length / ((last - first - 1) * LIMIT)
}
