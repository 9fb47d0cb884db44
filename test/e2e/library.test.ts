import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { expect, test as plainTest } from 'vitest'
import { install, pack } from '../../scripts/packed.ts'
import { tempFolder } from '../harness/home.ts'
import { startService } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** An empty folder with nothing in it but the packed tarball, installed; one for all tests, because npm takes its time. */
const test = plainTest.extend(
  'folder',
  { scope: 'file' }, // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that are needed off this pattern
  async ({}, { onCleanup }) => {
    const folder = tempFolder(onCleanup)
    install(pack(folder), folder)
    return folder
  },
)

const PROGRAM = `
import { createClient, CrmError } from 'crm-cli'
const client = createClient({ baseUrl: process.env.CRM_BASE_URL, apiKey: process.env.CRM_API_KEY })
for (const name of ['Ada', 'Grace', 'Emmy']) await client.contacts.create({ name })
const names = []
for await (const contact of client.contacts.list()) names.push(contact.name)
const [stage] = (await client.stages.list('sales').pages()[Symbol.asyncIterator]().next()).value.items
const deal = await client.deals.create({ name: 'Engine', stage: stage.name }, { idempotencyKey: 'k' })
const again = await client.deals.create({ name: 'Engine', stage: stage.name }, { idempotencyKey: 'k' })
const note = await client.notes.create(deal.id, { body: 'called' })
const refusal = await client.deals.create({ name: 'x', stage: 'Nowhere' }).catch((error) => error)
const wrong = []
for (const query of [{ limit: -1 }, { limit: Number.NaN }, { stage: 'Won' }]) {
  try { client.deals.list(query) } catch (error) { wrong.push(error.code) }
}
for (const options of [{ timeoutMs: '5s' }, { maxWaitMs: Number.NaN }, { apiKey: undefined }, { timeoutMS: 1 }, { wire: {} }, { pageSize: 0 }]) {
  try { createClient({ baseUrl: 'https://crm.example.com', apiKey: 'k', ...options }) } catch (error) { wrong.push(error.code) }
}
try { createClient() } catch (error) { wrong.push(error.code) }
for (const fields of [{ name: 'x', amount: 1n }, { name: 'x', amount: Number.NaN }, { name: () => {} }, undefined]) {
  await client.contacts.create(fields).catch((error) => wrong.push(error.code))
}
await client.contacts.create({ name: 'x' }, { idempotencykey: 'k' }).catch((error) => wrong.push(error.code))
const ended = await client.contacts.create({ name: 'x' }, { signal: AbortSignal.abort() }).catch((error) => error.code)
await client.close()
console.log(JSON.stringify({ ended, wrong, names, isOnce: deal.id === again.id, note: note.body, isCrmError: refusal instanceof CrmError, code: refusal.code }))
`

const TYPED = `
import { createClient, type CrmRecord, type Deal, SignatureError, verifyWebhook } from 'crm-cli'
import { startSandbox, type Sandbox } from 'crm-cli/sandbox'
import { verifyWebhook as verifyAlone } from 'crm-cli/webhooks'
export const sandbox: Promise<Sandbox> = startSandbox({ rateLimit: { requests: 10, windowMs: 1000 } })
const client = createClient({ baseUrl: 'https://crm.example.com', apiKey: 'k', pageSize: 10 })
export async function names(): Promise<(string | null | undefined)[]> {
  const found: CrmRecord[] = []
  for await (const contact of client.contacts.list({ limit: 5 })) found.push(contact)
  for await (const { name, vip } of client.contacts.list()) found.push({ id: '1', name, vip })
  const { name } = await client.contacts.get('con_1')
  const deal: Deal = await client.deals.update('deal_1', { amount: null, own_member: true })
  const stage: string = deal.stage
  const { data } = await client.graphql<{ data: { id: string } }>('{ a }')
  const { job, done } = await client.jobs.importRows('contacts', [{ name: 'Ada' }], { runId: 'r', match: 'email' })
  const event = await verifyWebhook(new Uint8Array(), new Headers(), ['whsec_'])
  const machine = await client.records<{ serial: string; company_id?: string }>('machines').create({ serial: 'S1' })
  const made: string[] = [machine.serial, machine.created_at, String(machine.version)]
  const other: unknown = (await client.records('machines').get(machine.id)).serial
  const isSame: boolean = SignatureError.name === verifyAlone.name
  return [name, stage, data.id, job, String(done), event.type, String(isSame), ...made, String(other)]
}
// @ts-expect-error: a filter is text
client.deals.list({ filters: { amount: 3 } })
// @ts-expect-error: a serial is text
client.records<{ serial: string }>('machines').update('machine_1', { serial: 5 })
// @ts-expect-error: a deal has a stage
client.deals.create({ name: 'Engine' })
// @ts-expect-error: an amount is a number
client.deals.update('deal_1', { amount: 'much' })
// @ts-expect-error: the mode of a match
client.jobs.importRows('contacts', [], { runId: 'r', mode: 'insert' })
`

const REQUIRED_TYPES = `
import crm = require('crm-cli')
import { startSandbox } from 'crm-cli/sandbox'
import { verifyWebhook } from 'crm-cli/webhooks'
export const client: crm.Client = crm.createClient({ apiKey: 'k', connector: 'hubspot' })
export const stage = client.deals.get('deal_1').then((deal) => deal.stage.length)
export const all = [startSandbox, verifyWebhook, crm.CrmError]
`

const REQUIRED = `
const { createClient, CrmError, SignatureError } = require('crm-cli')
const { startSandbox } = require('crm-cli/sandbox')
const webhooks = require('crm-cli/webhooks')
async function main() {
  const imported = await import('crm-cli')
  const sandbox = await startSandbox()
  const client = createClient(sandbox)
  const { name } = await client.contacts.create({ name: 'Ada' })
  await client.close()
  await sandbox.stop()
  const isSame = imported.CrmError === CrmError && imported.createClient === createClient
  console.log(JSON.stringify({ name, isSame, isSameError: webhooks.SignatureError === SignatureError, verify: typeof webhooks.verifyWebhook }))
}
main()
`

const SANDBOXED = `
import { createClient } from 'crm-cli'
import { startSandbox } from 'crm-cli/sandbox'
const sandbox = await startSandbox({ fail: { 'reset-after': 20 }, clock: new Date('2026-01-01') })
const client = createClient(sandbox)
const { name, created_at } = await client.contacts.create({ name: 'Ada' })
await client.close()
await sandbox.stop()
const isGone = await fetch(sandbox.baseUrl).then(() => false, () => true)
console.log(JSON.stringify({ name, day: created_at.slice(0, 10), isGone, names: Object.keys(sandbox.env) }))
`

test('a program starts a sandbox of its own, and ends when it has stopped it', async ({ folder }) => {
  writeFileSync(join(folder, 'program.js'), SANDBOXED)
  const printed = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual({
    name: 'Ada',
    day: '2026-01-01',
    isGone: true,
    names: ['CRM_BASE_URL', 'CRM_API_KEY', 'CRM_CONFIG_HOME', 'CRM_STATE_HOME'],
  })
})

interface Analysis {
  readonly types: unknown
  readonly problems: readonly { readonly resolutionKind?: string }[]
}

/** What docs/library.md shows first that contains the text. */
function documented(text: string): string {
  const blocks = readFileSync(join(ROOT, 'docs/library.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)
  return [...blocks].map(([, code = '']) => code).find((code) => code.includes(text)) ?? ''
}

/** With the types of Node that it uses. */
function typedExample(text: string): string {
  return `declare const process: { readonly env: Readonly<Record<string, string | undefined>> }\n${documented(text)}`
}

const OBJECTS = `objects:
  machines:
    fields: { serial: { unique: true }, company_id: { to: companies } }
`

test('the records of an object of users are read and changed as docs/library.md shows', async ({ folder }) => {
  writeFileSync(join(folder, 'objects.yaml'), OBJECTS)
  const service = await startService(['--objects', join(folder, 'objects.yaml')])
  const code = documented("records('machines')").replace('https://crm.example.com', service.url)
  writeFileSync(join(folder, 'records.mjs'), code)
  const child = spawn(process.execPath, ['records.mjs'], { cwd: folder, env: service.env })
  const [printed, [exit]] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
  expect({ exit, printed: printed.join('') }).toEqual({ exit: 0, printed: expect.stringMatching(/^machine_\w+ S2\n$/) })
})

test('the packed library works in an empty folder, with types, and brings no other package', async ({ folder }) => {
  const service = await startService()
  writeFileSync(join(folder, 'program.js'), PROGRAM)
  const child = spawn(process.execPath, ['program.js'], {
    cwd: folder,
    env: service.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
  const [exit] = await once(child, 'close')
  expect({ exit, ...JSON.parse(printed) }).toEqual({
    exit: 0,
    ended: 'interrupted',
    wrong: Array(15).fill('invalid_input'),
    names: ['Emmy', 'Grace', 'Ada'],
    isOnce: true,
    note: 'called',
    isCrmError: true,
    code: 'invalid_values',
  })
  expect(execFileSync('ls', [join(folder, 'node_modules')], { encoding: 'utf8' })).toBe('crm-cli\n')
})

/** How a program may be compiled; the libraries of the default target have no AsyncDisposable. */
const MODES = [
  ['node16', 'typed.mts', '--module', 'node16'],
  ['nodenext', 'typed.mts', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom'],
  ['node16 in CommonJS', 'required.cts', '--module', 'node16'],
  ['bundler', 'typed.mts', '--module', 'esnext', '--moduleResolution', 'bundler'],
] as const

test('the types are right for every way to resolve them, with checked declarations', async ({ folder }) => {
  writeFileSync(join(folder, 'typed.mts'), TYPED)
  writeFileSync(join(folder, 'required.cts'), REQUIRED_TYPES)
  writeFileSync(join(folder, 'example.mts'), typedExample('client.contacts'))
  writeFileSync(join(folder, 'records.mts'), typedExample("records('machines')"))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  for (const [mode, file, ...flags] of MODES) {
    const files = mode === 'nodenext' ? [file, 'example.mts', 'records.mts'] : [file]
    const args = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--types',
      '',
      ...flags,
      ...files,
      '--ignoreConfig',
    ]
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...args], { cwd: folder, encoding: 'utf8' })
    expect({ mode, status, stdout }).toEqual({ mode, status: 0, stdout: '' })
  }
})

test('arethetypeswrong finds nothing, for import and for require', async () => {
  const { tarball } = pack(tempFolder())
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)))
  const { problems, types } = (await checkPackage(packed)) as Analysis
  expect(types).toEqual({ kind: 'included' })
  // Resolution as before Node 12.7 does not know `exports`.
  expect(problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([])
})

const IMPORTED = `
import { createClient } from 'crm-cli'
const client = createClient({ baseUrl: process.env.CRM_BASE_URL, apiKey: process.env.CRM_API_KEY, env: process.env })
const rows = Array.from({ length: 300 }, (_, at) => ({ name: 'Row ' + at, email: 'row' + at + '@example.test' }))
const onProgress = ({ done }) => done >= Number(process.argv[2]) && process.kill(process.pid, 'SIGKILL')
const { done } = await client.jobs.importRows('contacts', rows, { runId: 'killed', onProgress })
let count = 0
for await (const contact of client.contacts.list()) count += contact.name.startsWith('Row ') ? 1 : 0
console.log(JSON.stringify({ done, count }))
await client.close()
`

test('an import that was killed twice goes on with the same call, and no row is there twice', async ({ folder }) => {
  const service = await startService()
  writeFileSync(join(folder, 'imported.mjs'), IMPORTED)
  const run = (killedAt: string) => {
    // Not in this process, whose service has to answer meanwhile.
    const child = spawn(process.execPath, ['imported.mjs', killedAt], { cwd: folder, env: service.env })
    child.stdout.setEncoding('utf8')
    return Promise.all([once(child, 'close'), child.stdout.toArray()])
  }
  for (const killedAt of ['50', '150']) expect((await run(killedAt))[0]).toEqual([null, 'SIGKILL'])
  const [[exit], printed] = await run('Infinity')
  expect({ exit, ...JSON.parse(printed.join('')) }).toEqual({ exit: 0, done: 300, count: 300 })
})

test('require loads the same library as import', ({ folder }) => {
  writeFileSync(join(folder, 'program.cjs'), REQUIRED)
  const printed = execFileSync(process.execPath, ['program.cjs'], { cwd: folder, encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual({ name: 'Ada', isSame: true, isSameError: true, verify: 'function' })
})

test('an older Node gets two lines from import and from require, and a program can catch them', ({ folder }) => {
  writeFileSync(join(folder, 'older.cjs'), "Object.defineProperty(process.versions, 'node', { value: '22.18.0' })")
  writeFileSync(join(folder, 'import.mjs'), "import { createClient } from 'crm-cli'\nconsole.log(createClient)")
  writeFileSync(join(folder, 'require.cjs'), "console.log(require('crm-cli'), require('crm-cli/sandbox'))")
  writeFileSync(
    join(folder, 'caught.mjs'),
    "await import('crm-cli').catch((error) => console.log('caught', error.message))",
  )
  const run = (file: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', './older.cjs', file], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const text = 'crm-cli needs Node.js 22.19 or later, and this is 22.18.0\n  https://nodejs.org\n'
  expect(run('import.mjs')).toEqual({ status: 13, stdout: '', stderr: text })
  expect(run('require.cjs')).toEqual({ status: 13, stdout: '', stderr: text })
  expect(run('caught.mjs')).toEqual({ status: 0, stdout: `caught ${text}`, stderr: '' })
})

test('the verification of webhooks loads nothing of Node, so that workers can load it', ({ folder }) => {
  const text = readFileSync(join(folder, 'node_modules/crm-cli/dist/webhooks/webhooks.js'), 'utf8')
  expect(text).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/)
  expect(text.length).toBeLessThan(10_000)
  // A context has the language alone; what every runtime of the web has is passed in.
  const context = createContext({ crypto, TextEncoder, TextDecoder, atob, Date, Uint8Array, ArrayBuffer, exports: {} })
  const script = text.replace(
    /export\s*\{([^}]*)\}/,
    (_, names: string) => `Object.assign(exports, { ${names.replaceAll(/(\w+) as (\w+)/g, '$2: $1')} })`,
  )
  runInContext(script, context)
  expect(Object.keys(context.exports)).toEqual(['SignatureError', 'verifyWebhook'])
})
