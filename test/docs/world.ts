import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messyLeads } from '../../examples/messy-leads.ts'
import { secretBytes, signWebhook } from '../../src/core/signing.ts'
import { CRM, crmPrints } from '../e2e/crm.ts'
import { serve, startService } from '../e2e/service.ts'
import { freePort } from '../harness/free-port.ts'
import { type CleanUp, type Env, emptyHome, type Run } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'
import { readPages } from './pages.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export interface World {
  readonly env: Env
  readonly folder: string
  /** Replaces the examples in a line of a page by the real values. */
  filled(line: string): Promise<string>
}

/** The environment of a reader of the docs: a home with a service, its profile, records, files, and an app at a port. */
export async function openWorld(cleanUp: CleanUp): Promise<World> {
  const { HOME } = emptyHome({}, cleanUp)
  const env = { HOME, PATH: `${join(HOME, 'bin')}:${process.env.PATH ?? ''}`, BUILD_ID: 'build-1' }
  const folder = join(HOME, 'work')
  const { url } = await serve([], env, cleanUp)
  await writePrograms(join(HOME, 'bin'))
  writeFiles(folder)
  const quick = (...args: string[]) => crmPrints(args, env)
  await quick('contacts', 'import', join(folder, 'contacts.jsonl'), '--yes', '-q')
  await quick('deals', 'import', join(folder, 'deals.jsonl'), '-q')
  const first = async (...args: string[]) => (await quick(...args, '-o', 'id')).split('\n')[0] ?? ''
  const contact = await first('contacts', 'list')
  const deal = await first('deals', 'list')
  const app = await startApp(cleanUp)
  let arrival: Promise<unknown> | undefined
  const received = () => {
    const run = ['--run', 'crm contacts create --set name=Grace']
    arrival ??= freePort().then((port) => quick('webhooks', 'wait', 'contact.created', '--port', String(port), ...run))
    return arrival
  }
  let second: Promise<string> | undefined
  const other = () => {
    second ??= openSecond(env, cleanUp)
    return second
  }
  const replaced: readonly (readonly [RegExp, () => string | Promise<string>])[] = [
    [/http:\/\/127\.0\.0\.1:4243|https:\/\/crm\.example\.com/g, () => url],
    [/con_0\w+/g, () => contact],
    [/deal_0\w+/g, () => deal],
    [/wh_0\w+/g, () => received().then(() => first('webhooks', 'list'))],
    [/evt_0\w+/g, () => received().then(() => first('webhooks', 'events', 'list'))],
    [/\bfx3yg\b/g, async () => (await quick('jobs', 'list', '--jq', 'map(select(.noun == "contacts"))[0].id')).trim()],
    [/(?<=-p )js\b/g, () => 'local'],
    [/--from old --to new\b/g, async () => `--from local --to ${await other()}`],
    [/key_0\w+/g, () => first('serve', 'keys', 'create', '--name', 'partner')],
    [/CRM_API_KEY=…/g, async () => `CRM_API_KEY=${(await quick('auth', 'token')).trim()}`],
    [/(?<=localhost:|--(?:to|forward) |=)(?:3000|4000)\b/g, () => app],
    [/(?<=\bcrm (?:serve(?= --|$)|listen|webhooks wait))(?!.*--port)/g, async () => ` --port ${await freePort()}`],
    [/(?<=--port )[1-9]\d*/g, async () => String(await freePort())],
    [
      /(?<=--if-match |If-Match: ")3/g,
      async () => (await quick('contacts', 'get', contact, '--jq', '.version')).trim(),
    ],
    [/--timeout 5m/g, () => '--timeout 1s'],
  ]
  const filled = async (line: string) => {
    let text = line.replace(/\s{2,}#.*$/, '')
    for (const [pattern, value] of replaced) if (text.search(pattern) >= 0) text = text.replace(pattern, await value())
    return text
  }
  return { env, folder, filled }
}

/** A second service, empty; its profile. */
async function openSecond(env: Env, cleanUp: CleanUp): Promise<string> {
  const { url, key } = await startService([], cleanUp)
  const login = ['auth', 'login', '--base-url', url, '--storage', 'file', '--key-stdin', '-p', 'second']
  await crmPrints(login, env, key)
  return 'second'
}

/** The built `crm`, an `npx`, and an `npm test` that sends a request. */
async function writePrograms(folder: string): Promise<void> {
  const programs = {
    crm: `exec '${process.execPath}' '${CRM}' "$@"`,
    npx: 'exec "$@"',
    npm: 'exec crm contacts list -q',
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
}

function writeFiles(folder: string): void {
  const event = JSON.stringify({ type: 'contact.created', timestamp: '2026-01-02T03:04:05Z', data: { name: 'Ada' } })
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = signWebhook(secretBytes(SECRET), { id: 'evt_1', timestamp, body: Buffer.from(event) })
  const made = {
    'mycrm.yaml': 'connector: 2\nname: mycrm\nextends: crm\n',
    'staff.csv': 'name,email,company.domain\nIda,ida@staff.test,acme.staff.test\n',
    'people.csv': 'name,email,phone\nAda,ada@people.test,1\nGrace,grace@people.test,2\n,,\nAlan,alan@people.test,\n',
    'deals.csv': 'name,stage,pipeline_id\nOne,Qualified,\nTwo,Proposal,pipe_nope\n',
    'changes.yaml': 'company: Analytical Engines Ltd\n',
    'patch.json': '{"phone":"+44 20 7946 0958"}',
    'deal.graphql': 'query ($id: ID!) { deal(id: $id) { notes { nodes { body } } } }\n',
    'demo.yaml': fixturesInDocs(),
    'invoice.json': '{"amount":1200}',
    'secret.txt': `${SECRET}\n`,
    'key.txt': `${newKey()}\n`,
    'handler.js': '',
    'src/main.js':
      "require('node:child_process').execFileSync('crm', ['deals', 'create', '--set', 'name=Big', '--set', 'stage=Lead'])\n",
    'request.txt': `webhook-id: evt_1\nwebhook-timestamp: ${timestamp}\nwebhook-signature: ${signature}\n\n${event}`,
  }
  for (const [name, text] of Object.entries(made)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }
  writeFileSync(join(folder, 'messy-leads.csv'), messyLeads())
  for (const name of ['leads.csv', 'contacts.jsonl', 'deals.jsonl']) {
    copyFileSync(join(ROOT, 'examples', name), join(folder, name))
  }
}

function fixturesInDocs(): string {
  const blocks = readPages().find(({ path }) => path === 'docs/fixtures.md')?.blocks ?? []
  const example = blocks.find(({ kind }) => kind === 'yaml')
  if (!example) throw new Error('docs/fixtures.md shows no fixtures')
  return `${example.lines.join('\n')}\n`
}

/** Accepts events with a current signature, and rejects others. Returns its port. */
async function startApp(cleanUp: CleanUp): Promise<string> {
  const server = createServer((request, response) => {
    const sentAt = Number(request.headers['webhook-timestamp'] ?? Date.now() / 1000)
    response.writeHead(Math.abs(Date.now() / 1000 - sentAt) < 300 ? 200 : 401).end('thanks')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return String((server.address() as AddressInfo).port)
}

/** Runs a line in a shell. A command that does not end is interrupted when it reports that it is ready. */
export async function runLine(line: string, { env, folder }: World): Promise<Run> {
  const child = spawn('sh', ['-c', `trap : INT; ${line}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr] = ['', '']
  let isInterrupted = false
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
    if (isInterrupted || !/^crm (?:serve|listen) is ready at/m.test(stderr)) return
    isInterrupted = true
    process.kill(-(child.pid ?? 0), 'SIGINT')
  })
  const [exit, signal] = await once(child, 'close')
  // A reader in a pipe is interrupted, too.
  return { exit: isInterrupted && exit === 130 ? 0 : (exit ?? signal), stdout, stderr }
}
