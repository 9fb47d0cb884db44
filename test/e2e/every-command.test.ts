import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { secretBytes, signWebhook } from '../../src/core/signing.ts'
import { buildProgram } from '../../src/program.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { startService } from '../harness/service.ts'
import { DEAL, documentWith, PAGED, PERSON, plainPaths } from '../probe/openapi/small-api.ts'
import { CRM } from './crm.ts'

/** What one command needs to have something to do, and what it was asked to write. */
interface Step {
  readonly words: (printed: (command: string) => string) => readonly string[]
  readonly input?: string
  /** 0 unless given. */
  readonly exit?: number
  /** Of the watched folder; nothing unless given. */
  readonly mayWrite?: RegExp
  /** It runs until the test ends it, after its first line. */
  readonly isLasting?: true
}

const JOB = /^home\/\.local(\/state(\/crm(\/(jobs|fixtures|pace)\b.*)?)?)?$/
const EVENTS = /^home\/\.local(\/state(\/crm(\/(listen|listeners|events|webhooks)\b.*)?)?)?$/
const SANDBOX = /^(?:tmp\/crm-sandbox-.*|home\/\.local(?:\/state(?:\/crm(?:\/sandboxes\b.*)?)?)?)$/
const SETTINGS = /^home\/\.config(\/crm(\/.*)?)?$/

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

function signedRequest(): string {
  const [id, timestamp, body] = ['evt_1', 1_700_000_000, '{"type":"contact.created","data":{}}'] as const
  const signature = signWebhook(secretBytes(SECRET), { id, timestamp, body: Buffer.from(body) })
  return `webhook-id: ${id}\nwebhook-timestamp: ${timestamp}\nwebhook-signature: ${signature}\n\n${body}`
}

const only = (...words: string[]): Step => ({ words: () => words })
const FIXTURE = ['demo.yaml', '--run-id', 'walk']
const OWN = ['--database', 'own.db']
const OWN_FILES = /^work\/own\.db/

/** The commands of an object without any of its own, on a record with these values. */
function plainSteps(noun: string, ...values: readonly string[]): Readonly<Record<string, Step>> {
  const ofOne = (...words: string[]): Step => ({ words: (printed) => [printed(`${noun} create`), ...words] })
  return {
    [`${noun} create`]: only(...values, '-o', 'id'),
    [`${noun} list`]: only('-o', 'json'),
    [`${noun} get`]: ofOne(),
    [`${noun} update`]: ofOne(...values),
    [`${noun} history`]: ofOne(),
    [`${noun} restore`]: { ...ofOne('--at', '100d'), exit: 6 },
    [`${noun} export`]: { words: () => [`${noun}.csv`], mayWrite: new RegExp(`^work/${noun}\\.csv$`) },
    [`${noun} import`]: {
      words: () => [`${noun}.csv`, '--plan', `${noun}.ndjson`],
      mayWrite: new RegExp(`^work/${noun}\\.ndjson$`),
    },
    [`${noun} delete`]: ofOne('-y'),
  }
}

/** Every command that does something, in an order in which each has what it needs. */
const STEPS: Readonly<Record<string, Step>> = {
  doctor: only('-o', 'json'),
  schema: only('contacts', 'list'),
  completion: only('bash'),
  'connectors list': only('-o', 'json'),
  'connectors show': only('pipedrive'),
  'connectors check': only('-o', 'json'),
  'connectors create': {
    words: () => ['--openapi', 'api.json', '--out', 'draft.yaml'],
    mayWrite: /^work\/draft\.yaml$/,
  },
  'contacts create': only('--set', 'name=Ada', '--set', 'email=ada@x.test', '-o', 'id'),
  'contacts list': only('-o', 'json'),
  'contacts get': { words: (printed) => [printed('contacts create')] },
  'contacts update': { words: (printed) => [printed('contacts create'), '--set', 'phone=1'] },
  'contacts history': { words: (printed) => [printed('contacts create')] },
  'contacts restore': { words: (printed) => [printed('contacts create'), '--at', '100d'], exit: 6 },
  'contacts duplicates': only('-o', 'json'),
  'contacts merge': { words: (printed) => [printed('contacts create'), 'con_0'], exit: 6, mayWrite: JOB },
  ...plainSteps('companies', '--set', 'name=Engines', '--set', 'domain=engines.test'),
  ...plainSteps('tasks', '--set', 'title=Call', '--set', 'status=open'),
  'companies duplicates': only('-o', 'json'),
  'companies merge': { words: () => ['comp_0', 'comp_1'], exit: 6, mayWrite: JOB },
  'contacts export': { words: () => ['contacts.csv'], mayWrite: /^work\/contacts\.csv$/ },
  'deals create': only('--set', 'name=Big', '--set', 'stage=Lead', '-o', 'id'),
  'deals list': only(),
  'deals stale': only('--for', '90d'),
  'report pipeline': only(),
  'report owners': only('-o', 'csv'),
  'report activity': only('-o', 'json'),
  'deals get': { words: (printed) => [printed('deals create')] },
  'deals update': { words: (printed) => [printed('deals create'), '--set', 'stage=Won'] },
  'deals restore': { words: (printed) => [printed('deals create'), '--at', '100d'], exit: 6 },
  'deals history': { words: (printed) => [printed('deals create')] },
  history: only('--since', '1d'),
  'deals export': { words: () => ['deals.jsonl'], mayWrite: /^work\/deals\.jsonl$/ },
  'notes add': { words: (printed) => [printed('deals create'), '--body', 'Called.', '-o', 'id'] },
  'notes list': { words: (printed) => [printed('deals create')] },
  'notes export': { words: () => ['notes.csv'], mayWrite: /^work\/notes\.csv$/ },
  objects: only('-o', 'json'),
  fields: only('contacts'),
  records: only('contacts', 'list'),
  'pipelines list': only(),
  'pipelines stages': only('sales'),
  'users list': { words: () => [], exit: 7 },
  reassign: only('--from', 'u_anna', '--to', 'u_bernd', '--to-new', '--dry-run'),
  'webhooks create': only('--url', 'http://127.0.0.1:9/', '--events', 'deal.*', '-o', 'id'),
  'webhooks list': only(),
  'webhooks get': { words: (printed) => [printed('webhooks create')] },
  'webhooks update': { words: (printed) => [printed('webhooks create'), '--events', 'note.*'] },
  'webhooks test': { words: (printed) => [printed('webhooks create')] },
  'webhooks disable': { words: (printed) => [printed('webhooks create')] },
  'webhooks enable': { words: (printed) => [printed('webhooks create')] },
  'webhooks rotate': { words: (printed) => [printed('webhooks create')] },
  'webhooks deliveries': { words: (printed) => [printed('webhooks create')] },
  'webhooks resend': { words: (printed) => [printed('webhooks create'), 'evt_0000000000x'], exit: 6 },
  'webhooks secret': { words: (printed) => [printed('webhooks create')], exit: 6 },
  'webhooks types': only('--lang', 'ts'),
  api: only('GET', '/v1/contacts'),
  graphql: only('{ pipelines { edges { node { id } } } }'),
  browse: { words: () => [], exit: 2 },
  snapshot: only(),
  diff: only('live', 'live'),
  // The environment names one server for both profiles.
  migrate: { words: () => ['--from', 'old', '--to', 'new'], exit: 2 },
  'auth status': only(),
  'auth token': only(),
  'config path': only(),
  'jobs list': only(),
  'webhooks events list': only(),
  'webhooks events export': only(),
  'fixtures schema': only(),
  'fixtures validate': only('demo.yaml'),
  'fixtures plan': only(...FIXTURE),
  'fixtures verify': only(...FIXTURE),
  // Before anything was applied, the run is not known.
  'fixtures status': { ...only(...FIXTURE), exit: 3 },
  'fixtures export': only('--with', 'contacts,notes'),
  'sandbox run': only('--seed', 'demo.yaml', '--', 'true'),
  'sandbox start': { words: () => ['--ttl', '1m'], mayWrite: SANDBOX },
  'sandbox env': only('-o', 'json'),
  'sandbox list': only('-o', 'json'),
  'sandbox stop': { words: () => [], mayWrite: SANDBOX },
  'webhooks trigger': only('contact.created', '--to', '9', '--dry-run'),
  'webhooks verify': { words: () => ['--secret-file', 'secret.txt', '--at', '1700000000'], input: signedRequest() },
  'fixtures apply': { words: () => FIXTURE, mayWrite: JOB },
  'fixtures destroy': { words: () => FIXTURE, mayWrite: JOB },
  'fixtures sweep': only('--older-than', '1d', '--yes'),
  'contacts import': { words: () => ['people.csv', '--plan', 'plan.ndjson'], mayWrite: /^work\/plan\.ndjson$/ },
  'plan show': only('plan.ndjson'),
  apply: { words: () => ['plan.ndjson', '-y', '-o', 'json'], mayWrite: JOB },
  'deals import': { words: () => ['deals.csv', '-y'], mayWrite: JOB },
  'notes import': {
    words: () => ['notes.jsonl', '-y', '--max-errors', '1', '--concurrency', '1'],
    // Of a deal that is not there, so that the next commands have rows that failed, and one that was not sent.
    exit: 3,
    mayWrite: JOB,
  },
  'jobs show': { words: (printed) => [idOf(printed('apply'))] },
  'jobs failed': { words: (printed) => [idOf(printed('notes import'))], mayWrite: JOB },
  'jobs resume': { words: (printed) => [idOf(printed('apply'))], mayWrite: JOB },
  'jobs undo': { words: (printed) => [idOf(printed('apply')), '-y'], mayWrite: JOB },
  'jobs cancel': { words: (printed) => [idOf(printed('notes import'))], mayWrite: JOB },
  'jobs retry': { words: (printed) => [idOf(printed('notes import')), '-y'], exit: 3, mayWrite: JOB },
  'jobs prune': { words: () => [], mayWrite: JOB },
  'contacts delete': { words: (printed) => [printed('contacts create'), '-y'] },
  'notes delete': { words: (printed) => [printed('notes add'), '-y'] },
  'deals delete': { words: (printed) => [printed('deals create'), '-y'] },
  'webhooks delete': { words: (printed) => [printed('webhooks create'), '-y'] },
  listen: { words: () => ['--port', '0', '--subscribe', '-o', 'jsonl'], mayWrite: EVENTS, isLasting: true },
  'webhooks listen': { words: () => ['--port', '0', '--subscribe', '-o', 'jsonl'], mayWrite: EVENTS, isLasting: true },
  'webhooks wait': {
    words: () => [
      'contact.created',
      '--port',
      '0',
      '--subscribe',
      '--run',
      `${process.execPath} ${CRM} contacts create --set name=Eva`,
      '-o',
      'json',
    ],
    mayWrite: EVENTS,
  },
  'webhooks events show': { words: (printed) => [idOf(printed('webhooks wait'))] },
  'webhooks replay': { words: (printed) => [idOf(printed('webhooks wait'))] },
  serve: {
    words: () => ['--port', '0', '--ready-json', '--key-file', 'key', ...OWN],
    mayWrite: OWN_FILES,
    isLasting: true,
  },
  'serve keys create': { words: () => ['--name', 'walk', '-o', 'json', ...OWN], mayWrite: OWN_FILES },
  'serve keys list': { words: () => OWN, mayWrite: OWN_FILES },
  'serve keys rotate': {
    words: (printed) => [idOf(printed('serve keys create')), '-o', 'json', ...OWN],
    mayWrite: OWN_FILES,
  },
  'serve keys revoke': { words: (printed) => [idOf(printed('serve keys rotate')), ...OWN], mayWrite: OWN_FILES },
  'serve keys audit': { words: () => OWN, mayWrite: OWN_FILES },
  'serve stats': { words: () => OWN, mayWrite: OWN_FILES },
  'serve backup': { words: () => ['copy.db', ...OWN], mayWrite: /^work\/(own|copy)\.db/ },
  'serve restore': { words: () => ['copy.db', '--database', 'restored.db'], mayWrite: /^work\/restored\.db/ },
  // Where no PostgreSQL runs.
  'serve copy': {
    words: () => ['--from', 'own.db', '--to', 'postgres://127.0.0.1:9/crm'],
    exit: 13,
    mayWrite: OWN_FILES,
  },
  'auth login': { words: () => ['--storage', 'file', '--key-file', 'key'], mayWrite: SETTINGS },
  'config set': { words: () => ['page_size', '50'], mayWrite: SETTINGS },
  'config get': only('page_size'),
  'config list': only(),
  'config migrate': only(),
  'auth switch': { words: () => ['default'], mayWrite: SETTINGS },
  'auth logout': { words: () => [], mayWrite: SETTINGS },
}

/** Files and folders below, with what changes when they are written. */
function seen(root: string): Map<string, string> {
  const entries = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return new Map(
    entries.map((path) => {
      const stats = lstatSync(join(root, path), { bigint: true })
      return [path, stats.isDirectory() ? 'folder' : `${stats.size} ${stats.mtimeNs}`]
    }),
  )
}

function idOf(text: string): string {
  return /(?:job|evt|key)_\w+/.exec(text)?.[0] ?? `no id in ${text}`
}

function written(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path))
}

function leavesOf(command: Command, path: string): string[] {
  const children = command.commands.flatMap((child) => leavesOf(child as Command, `${path} ${child.name()}`.trim()))
  // crm serve does something itself, beside its children.
  return children.length === 0 || path === 'serve' ? [path, ...children] : children
}

async function allCommands(): Promise<string[]> {
  const io = { stdin: (async function* () {})(), stdout: { write: () => true }, stderr: { write: () => true } }
  const host = { io, env: {}, now: Date.now, signal: new AbortController().signal, version: '0.0.0', argv: [] }
  return leavesOf(await buildProgram(host, () => async () => {}), '')
}

async function runIn(cwd: string, env: Env, args: readonly string[], { input = '', isLasting }: Step) {
  const child = spawn(process.execPath, [CRM, ...args], { cwd, env, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    if (isLasting) child.kill('SIGTERM')
  })
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [exit] = await once(child, 'close')
  return { exit, stdout, stderr }
}

test('the walk knows every command', async () => {
  expect(Object.keys(STEPS).sort()).toEqual((await allCommands()).sort())
})

test('every command works with an empty HOME and two variables, and writes nothing that it was not asked for', async () => {
  const service = await startService(['--rate-limit', 'none'])
  const root = tempFolder()
  const [home, work, temporary] = ['home', 'work', 'tmp'].map((name) => join(root, name)) as [string, string, string]
  for (const folder of [home, work, temporary]) mkdirSync(folder)
  writeFileSync(
    join(work, 'demo.yaml'),
    'version: 1\ncontacts: { a: { name: A } }\ndeals: { d: { name: D, stage: Won } }\n',
  )
  writeFileSync(
    join(work, 'api.json'),
    JSON.stringify(
      documentWith({ ...plainPaths('/contacts', PERSON, ...PAGED), ...plainPaths('/deals', DEAL, ...PAGED) }),
    ),
  )
  writeFileSync(join(work, 'people.csv'), 'name,email\nGrace,grace@x.test\n')
  writeFileSync(join(work, 'deals.csv'), 'name,stage\nSmall,Lead\n')
  writeFileSync(join(work, 'notes.jsonl'), '{"deal_id":"deal_0","body":"a"}\n{"deal_id":"deal_0","body":"b"}\n')
  writeFileSync(join(work, 'secret.txt'), `${SECRET}\n`)
  writeFileSync(join(work, 'key'), `${service.key}\n`, { mode: 0o600 })
  const { CRM_BASE_URL = '', CRM_API_KEY = '', PATH = '' } = service.env
  // TMPDIR, so that what is left there is seen too.
  const env = { HOME: home, PATH, NODE_DISABLE_COMPILE_CACHE: '1', TMPDIR: temporary, CRM_BASE_URL, CRM_API_KEY }
  const printed = new Map<string, string>()
  for (const [command, step] of Object.entries(STEPS)) {
    const before = seen(root)
    const args = [...command.split(' '), ...step.words((name) => printed.get(name)?.trim() ?? '')]
    const { exit, stdout, stderr } = await runIn(work, env, args, step)
    printed.set(command, stdout)
    const unasked = written(before, seen(root)).filter((path) => !step.mayWrite?.test(path))
    const expected = { command, exit: step.exit ?? 0, unasked: [] }
    expect({ command, exit, unasked }, stderr).toEqual(expected)
  }
})
