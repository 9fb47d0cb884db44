import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crm, crmEnv, ROOT, startService } from './crm-process.ts'
import { loadExamples } from './load-examples.ts'
import { runTour } from './tour.ts'

/**
 * `npm start`: the service with a small data set. On a terminal it stays in the foreground, under the user's own profile
 * `local`; without one it shows a tour on a database of its own and ends.
 */
await import('./build.ts')
const folder = join(ROOT, '.crm')
mkdirSync(folder, { recursive: true, mode: 0o700 })
await (process.stdout.isTTY && process.stdin.isTTY ? serveForPeople() : showTour())

async function serveForPeople(): Promise<void> {
  const env = crmEnv({})
  const service = await startService(['--database', join(folder, 'crm.db')], env)
  if (!service) return
  const { child, url } = service
  // Ctrl-C also reaches the service, which stops cleanly; this process waits for it.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  const loaded = join(folder, 'examples-loaded')
  try {
    if (!existsSync(loaded)) await load(env)
    writeFileSync(loaded, '')
  } catch (error) {
    await stop(child)
    throw error
  }
  const status = await crm(['auth', 'status', '-o', 'json', '--fields', 'profile'], { env })
  const isActive = status.exit === 0 && JSON.parse(status.stdout).profile === 'local'
  const flag = isActive ? '' : ' -p local'
  console.log(`
The CRM runs at ${url}; Ctrl-C stops it. In a second terminal, in this folder:

  npx crm contacts list${flag}
  npx crm deals list${flag} --filter stage=Proposal -o json
  npx crm contacts create${flag} --set name="Hedy Lamarr" --set email=hedy@hopping.example
  npx crm listen${flag}
`)
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
}

async function showTour(): Promise<void> {
  const home = join(folder, 'tour')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const env = crmEnv({ CRM_CONFIG_HOME: join(home, 'config') })
  const service = await startService(['--database', join(home, 'crm.db'), '--port', '0'], env)
  if (!service) return
  try {
    await load(env)
    await runTour(env)
    console.log('\nThat was the tour. On a terminal, npm start keeps the service running.')
  } finally {
    await stop(service.child)
  }
}

async function load(env: NodeJS.ProcessEnv): Promise<void> {
  const { contacts, deals, notes } = await loadExamples(env)
  console.log(`Loaded ${contacts} contacts, ${deals} deals and ${notes} notes from examples/.`)
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
