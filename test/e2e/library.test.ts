import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { install, pack } from '../../scripts/packed.ts'
import { tempFolder } from '../harness/home.ts'
import { startService } from './service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** An empty folder with nothing in it but the packed tarball, installed. */
function installedFolder(): string {
  const folder = tempFolder()
  install(pack(folder), folder)
  return folder
}

const PROGRAM = `
import { createClient, CrmError } from 'crm-cli'
const client = createClient({ baseUrl: process.env.CRM_BASE_URL, apiKey: process.env.CRM_API_KEY })
for (const name of ['Ada', 'Grace', 'Emmy']) await client.contacts.create({ name })
const names = []
for await (const contact of client.contacts.list()) names.push(contact.name)
const [stage] = (await client.pipelines.stages('sales').pages()[Symbol.asyncIterator]().next()).value.items
const deal = await client.deals.create({ name: 'Engine', stage: stage.name }, { idempotencyKey: 'k' })
const again = await client.deals.create({ name: 'Engine', stage: stage.name }, { idempotencyKey: 'k' })
const note = await client.notes.add(deal.id, { body: 'called' })
const refusal = await client.deals.create({ name: 'x', stage: 'Nowhere' }).catch((error) => error)
const wrong = []
for (const query of [{ limit: -1 }, { limit: Number.NaN }, { stage: 'Won' }]) {
  try { client.deals.list(query) } catch (error) { wrong.push(error.code) }
}
for (const options of [{ timeoutMs: '5s' }, { maxWaitMs: Number.NaN }, { apiKey: undefined }, { timeoutMS: 1 }, { wire: { nope: 1 } }]) {
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
import { createClient, type CrmRecord } from 'crm-cli'
import { startSandbox, type Sandbox } from 'crm-cli/sandbox'
export const sandbox: Promise<Sandbox> = startSandbox({ rateLimit: { requests: 10, windowMs: 1000 } })
const client = createClient({ baseUrl: 'https://crm.example.com', apiKey: 'k', wire: { pageSize: 10 } })
export async function names(): Promise<(string | undefined)[]> {
  const found: CrmRecord[] = []
  for await (const contact of client.contacts.list({ limit: 5 })) found.push(contact)
  return found.map(({ name }) => (typeof name === 'string' ? name : undefined))
}
// @ts-expect-error: a filter is text
client.deals.list({ filters: { amount: 3 } })
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

test('a program starts a sandbox of its own, and ends when it has stopped it', async () => {
  const folder = installedFolder()
  writeFileSync(join(folder, 'program.js'), SANDBOXED)
  const printed = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual({
    name: 'Ada',
    day: '2026-01-01',
    isGone: true,
    names: ['CRM_BASE_URL', 'CRM_API_KEY', 'CRM_CONFIG_HOME', 'CRM_STATE_HOME'],
  })
})

/** What docs/library.md shows, with the types of Node that it uses. */
function documentedExample(): string {
  const [, code] = /```js\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/library.md'), 'utf8')) ?? []
  return `declare const process: { readonly env: Readonly<Record<string, string | undefined>> }\n${code}`
}

test('the packed library works in an empty folder, with types, and brings no other package', async () => {
  const folder = installedFolder()
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
    wrong: Array(14).fill('invalid_input'),
    names: ['Emmy', 'Grace', 'Ada'],
    isOnce: true,
    note: 'called',
    isCrmError: true,
    code: 'invalid_values',
  })
  expect(execFileSync('ls', [join(folder, 'node_modules')], { encoding: 'utf8' })).toBe('crm-cli\n')

  writeFileSync(join(folder, 'typed.ts'), TYPED)
  writeFileSync(join(folder, 'example.ts'), documentedExample())
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--lib',
    'es2024,esnext.disposable,dom',
    '--types',
    '',
    'typed.ts',
    'example.ts',
  ]
  execFileSync(process.execPath, [tsc, ...flags, '--ignoreConfig'], { cwd: folder, stdio: 'inherit' })
})
