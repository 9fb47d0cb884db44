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

interface Example {
  readonly line: string
  /** The same on every start, so that a second load creates nothing. */
  readonly idempotencyKey: string
}

/** Loads the folder `examples` with the CLI, as a shell loop would. */
async function loadExamples(env: NodeJS.ProcessEnv): Promise<{ contacts: number; deals: number; notes: number }> {
  const contacts = readExamples('contacts')
  await inParallel(contacts, ({ line, idempotencyKey }) =>
    crmOrThrow(['contacts', 'create', '--data', '-', '-o', 'id', '--idempotency-key', idempotencyKey], {
      env,
      input: line,
    }),
  )
  const deals = readExamples('deals')
  const dealIds = new Map<unknown, string>()
  await inParallel(deals, async ({ line, idempotencyKey }) => {
    const args = ['deals', 'create', '--data', '-', '-o', 'id', '--idempotency-key', idempotencyKey]
    dealIds.set(JSON.parse(line).name, (await crmOrThrow(args, { env, input: line })).trim())
  })
  const notes = readExamples('notes')
  await inParallel(notes, ({ line, idempotencyKey }) => {
    const { deal, ...note } = JSON.parse(line)
    const args = ['notes', 'add', dealIds.get(deal) ?? '', '--data', '-', '--idempotency-key', idempotencyKey]
    return crmOrThrow(args, { env, input: JSON.stringify(note) })
  })
  return { contacts: contacts.length, deals: deals.length, notes: notes.length }
}

function readExamples(name: string): Example[] {
  const lines = readFileSync(join(ROOT, 'examples', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line, index) => ({ line, idempotencyKey: `example-${name}-${index}` }))
}

/** Runs a process per item, four at a time, which keeps two cores busy. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all([worker(), worker(), worker(), worker()])
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
  await step(
    'deals',
    'create',
    '--set',
    'name=Radio patent',
    '--set',
    'stage=Lead',
    '--set',
    'amount:=30000',
    '-o',
    'json',
  )
  const deal = await idOf('deals', 'list', '--limit', '1')
  await step('notes', 'add', deal, '--body', 'Hedy calls back on Monday.', '--fields', 'id,deal_id,body')
  const events = ['--events', 'deal.*,contact.created', '--fields', 'id,url,events,status']
  await step('webhooks', 'create', '--url', 'http://127.0.0.1:4242/', ...events)
}
