import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { writePeople } from './people.ts'
import { benchFolder, CRM, plainEnv, ROOT } from './processes.ts'
import type { Row } from './table.ts'

const ROWS = 1_000_000
const KILLED_AT = 0.95

/** The time until a job of a million rows, killed near its end, sends again. */
export async function measureResume(): Promise<Row[]> {
  const folder = benchFolder()
  const file = join(folder, 'people.csv')
  await writePeople(file, ROWS)
  const server = await startInstantServer()
  const env = {
    ...plainEnv(),
    HOME: folder,
    CRM_STATE_HOME: folder,
    CRM_BASE_URL: server.url,
    CRM_API_KEY: 'crm_key_x',
  }
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [CRM, ...args, '-q', '-o', 'json'], { env, stdio: ['ignore', 'ignore', 'inherit'] })

  const first = start(['contacts', 'import', file, '--yes'])
  while ((await server.progress()).created < ROWS * KILLED_AT) {
    await setTimeout(50)
    if (first.exitCode !== null) throw new Error(`the import ended with exit ${first.exitCode}`)
  }
  const ended = once(first, 'exit')
  first.kill('SIGKILL')
  await ended
  await server.progress()

  const [job = ''] = readdirSync(join(folder, 'jobs')).filter((name) => name.startsWith('job_'))
  const startedMs = Date.now()
  const second = start(['jobs', 'resume', job])
  const [exit] = await once(second, 'exit')
  if (exit !== 0) throw new Error(`crm jobs resume: exit ${exit}`)
  const { firstWriteMs, created } = await server.progress()
  server.stop()
  const waitedMs = (firstWriteMs ?? Number.NaN) - startedMs
  return [
    {
      what: `resume of a job of ${ROWS.toLocaleString('en')} rows to its first write, ${(KILLED_AT * 100).toFixed(0)} % sent`,
      measured: `${waitedMs} ms`,
      peer: '2,000 ms',
      ratio: waitedMs / 2000,
      goal: { atMost: 1 },
    },
    {
      what: `writes that reached the server, kill -9 and resume included`,
      measured: `${created}`,
      peer: `${ROWS} rows`,
      ratio: created / ROWS,
      goal: undefined,
    },
  ]
}

interface Progress {
  readonly created: number
  readonly firstWriteMs: number | null
}

async function startInstantServer() {
  const child = spawn(process.execPath, [join(ROOT, 'bench/floors/instant-server.mjs')], {
    env: plainEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const [url] = await once(lines, 'line')
  const progress = async (): Promise<Progress> => {
    child.stdin.write('progress\n')
    const [line] = await once(lines, 'line')
    return JSON.parse(line)
  }
  return { url: String(url), progress, stop: () => child.kill('SIGTERM') }
}
