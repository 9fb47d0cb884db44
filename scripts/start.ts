import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shellWord } from '../src/core/shell-words.ts'
import { crm, crmEnv, crmOrThrow, ROOT, startService } from './crm-process.ts'

/**
 * `npm start`: the service with a small data set. On a terminal it stays in the foreground, under the user's own profile
 * `local`; without one it shows a tour on a database of its own and ends.
 */
await import('./build.ts')
const folder = join(ROOT, '.crm')
mkdirSync(folder, { recursive: true, mode: 0o700 })
await (process.stdout.isTTY && process.stdin.isTTY ? serveForPeople() : showTour())

async function serveForPeople(): Promise<void> {
  const env = crmEnv({ CRM_STATE_HOME: join(folder, 'state') })
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
  console.log(`
The CRM runs at ${url}; Ctrl-C stops it. In a second terminal, in this folder:

  npx crm contacts list -p local
  npx crm deals list -p local --filter stage=Proposal -o json
  npx crm contacts create -p local --set name="Hedy Lamarr" --set email=hedy@hopping.example
  npx crm listen -p local
`)
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
}

async function showTour(): Promise<void> {
  const home = join(folder, 'tour')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const env = crmEnv({ CRM_CONFIG_HOME: join(home, 'config'), CRM_STATE_HOME: join(home, 'state') })
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

/** Into the server of the profile `local`, whichever profile is active. */
async function load(env: NodeJS.ProcessEnv): Promise<void> {
  const options = { env: { ...env, CRM_PROFILE: 'local' } }
  const examples = (name: string) => join(ROOT, 'examples', `${name}.jsonl`)
  await crmOrThrow(['contacts', 'import', examples('contacts'), '--yes', '-q'], options)
  await crmOrThrow(['deals', 'import', examples('deals'), '--yes', '-q'], options)
  const deals: { id: string; name: string }[] = JSON.parse(await crmOrThrow(['deals', 'list', '-o', 'json'], options))
  const notes = readFileSync(examples('notes'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { deal, body } = JSON.parse(line)
      return JSON.stringify({ deal_id: deals.find(({ name }) => name === deal)?.id, body })
    })
  writeFileSync(join(folder, 'notes.jsonl'), notes.join('\n'))
  await crmOrThrow(['notes', 'import', join(folder, 'notes.jsonl'), '--yes', '-q'], options)
  console.log('Loaded the contacts, deals and notes of examples/.')
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Prints each command and its real output; stops at the first failure. */
async function runTour(env: NodeJS.ProcessEnv): Promise<void> {
  const step = async (...args: string[]) => {
    process.stdout.write(`\n$ crm ${args.map(shellWord).join(' ')}\n`)
    const { exit, stdout, stderr } = await crm(args, { env })
    process.stdout.write(stdout + stderr)
    if (exit !== 0) throw new Error(`crm ${args.join(' ')} exited with ${exit}`)
  }
  const idOf = async (...args: string[]) => (await crmOrThrow([...args, '-o', 'id'], { env })).trim()

  await step('auth', 'status')
  await step('contacts', 'list', '--limit', '5', '--fields', 'id,name,email,company')
  await step('contacts', 'create', '--set', 'name=Hedy Lamarr', '--set', 'email=hedy@hopping.example')
  const contact = await idOf('contacts', 'list', '--limit', '1')
  await step('contacts', 'update', contact, '--set', 'phone=+43 1 555 0120', '-o', 'json')
  await step('contacts', 'delete', contact, '--yes')
  await step('pipelines', 'stages', 'sales', '--fields', 'name,position,probability')
  await step('deals', 'list', '--filter', 'stage=Proposal', '--fields', 'id,name,amount,stage')
  const words = '--set stage=Lead --set amount:=30000 -o json'.split(' ')
  await step('deals', 'create', '--set', 'name=Radio patent', ...words)
  const deal = await idOf('deals', 'list', '--limit', '1')
  await step('notes', 'add', deal, '--body', 'Hedy calls back on Monday.', '--fields', 'id,deal_id,body')
  const events = ['--events', 'deal.*,contact.created', '--fields', 'id,url,events,status']
  await step('webhooks', 'create', '--url', 'http://127.0.0.1:4242/', ...events)
}
