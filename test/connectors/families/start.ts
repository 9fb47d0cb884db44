import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { type CleanUp, tempFolder } from '../../harness/home.ts'
import { startCluster } from '../../harness/postgres/cluster.ts'
import { hasPrograms } from '../../harness/postgres/programs.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** A contact as the servers begin with it, under crm's names. */
export interface Seed {
  readonly name: string
  readonly email: string
}

/** Starts a server with these contacts; its address. */
export type StartServer = (contacts: readonly Seed[], cleanUp?: CleanUp) => Promise<string>

/** json-server keeps one file; `bin` is that of the version, in node_modules. */
export const startJsonServer =
  (bin: string): StartServer =>
  async (contacts, cleanUp = onTestFinished) => {
    const folder = tempFolder(cleanUp)
    const file = join(folder, 'db.json')
    // Which it serves, and does not start without.
    mkdirSync(join(folder, 'public'))
    const rows = contacts.map((contact, n) => ({ id: `c${n + 1}`, ...contact }))
    writeFileSync(file, JSON.stringify({ contacts: rows, deals: [], notes: [], companies: [], machines: [] }))
    const port = await freePort()
    await started(process.execPath, [join(MODULES, bin), file, '--port', `${port}`, '--host', '127.0.0.1'], {
      folder,
      cleanUp,
    })
    return answering(`http://127.0.0.1:${port}/contacts?_page=1`)
  }

/** Debian installs packages of Python for its own one. */
const PYTHON = ['/usr/bin/python3', 'python3'].find(
  (python) => spawnSync(python, ['-c', 'import django, rest_framework']).status === 0,
)

export const HAS_DJANGO = PYTHON !== undefined

const DJANGO = fileURLToPath(new URL('../django/server.py', import.meta.url))

export interface DjangoOptions {
  readonly paging: 'page' | 'limit' | 'cursor'
  readonly slash: boolean
}

export const startDjango =
  ({ paging, slash }: DjangoOptions): StartServer =>
  async (contacts, cleanUp = onTestFinished) => {
    const folder = tempFolder(cleanUp)
    const seeds = join(folder, 'contacts.json')
    writeFileSync(seeds, JSON.stringify(contacts))
    return started(PYTHON ?? 'python3', [DJANGO, folder, paging, slash ? 'slash' : 'bare'], { cleanUp })
  }

const ODATA_MODEL = `@path: '/odata'
service CRM {
  entity Contacts {
    key ID : UUID; Name : String; Email : String; Phone : String; Company : String; OwnerID : String;
    CreatedAt : Timestamp @cds.on.insert: $now;
    ModifiedAt : Timestamp @cds.on.insert: $now @cds.on.update: $now;
  }
  entity Deals { key ID : UUID; Name : String; Amount : Decimal(15, 2); Stage : String; }
  entity Notes { key ID : UUID; DealID : UUID; Body : String; AuthorID : String; }
  entity Companies { key ID : UUID; Name : String not null; Domain : String; }
  entity Machines {
    key ID : UUID; Serial : String not null @Common.Label: 'Serial number'; Hours : Integer; Broken : Boolean; Built : Date;
    State : String @assert.range enum { new; used }; Place : String @Core.Computed; company : Association to Companies;
  }
}
`

/** A module of the judges: their install is no part of that of the project. */
const JUDGES = fileURLToPath(new URL('../../../tools/judges/package.json', import.meta.url))

const JUDGE_MODULES = join(JUDGES, '../node_modules')

function hasJudge(name: string): boolean {
  return existsSync(join(JUDGE_MODULES, name))
}

/** With the SQLite of Node: nothing is compiled or downloaded. */
export const HAS_ODATA = hasJudge('@cap-js/sqlite')

/** SAP's CAP, with the SQLite of Node in memory. */
export const startOData: StartServer = async (contacts, cleanUp = onTestFinished) => {
  const folder = tempFolder(cleanUp)
  mkdirSync(join(folder, 'srv/data'), { recursive: true })
  symlinkSync(JUDGE_MODULES, join(folder, 'node_modules'))
  const cds = { requires: { db: { kind: 'sqlite', credentials: { url: ':memory:' } }, auth: 'dummy' } }
  const dependencies = { '@sap/cds': '*', '@cap-js/sqlite': '*' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'crm-odata', dependencies, cds }))
  writeFileSync(join(folder, 'srv/crm.cds'), ODATA_MODEL)
  const rows = contacts.map(({ name, email }) => `${crypto.randomUUID()};${name};${email}`)
  writeFileSync(join(folder, 'srv/data/CRM.Contacts.csv'), `ID;Name;Email\n${rows.join('\n')}\n`)
  const bin = join(JUDGE_MODULES, '@sap/cds/bin/serve.js')
  return started(process.execPath, [bin, 'all', '--in-memory', '--port', '0'], { folder, path: '/odata', cleanUp })
}

const ODATA_SERVER = fileURLToPath(new URL('odata-server.cjs', import.meta.url))

export const HAS_ODATA_SERVER = hasJudge('odata-v4-server')

/** odata-v4-server, in memory: it lists without pages of its own, and answers an update with 204. */
export const startODataServer: StartServer = async (contacts, cleanUp = onTestFinished) => {
  const file = join(tempFolder(cleanUp), 'contacts.json')
  writeFileSync(file, JSON.stringify(contacts))
  return started(process.execPath, [ODATA_SERVER, JUDGES, file], { path: '/odata', cleanUp })
}

const PARSE = fileURLToPath(new URL('parse-server.mjs', import.meta.url))

export const HAS_PARSE = hasJudge('parse-server') && hasPrograms()

/** Parse Server on a PostgreSQL of its own. */
export const startParse: StartServer = async (contacts, cleanUp = onTestFinished) => {
  const file = join(tempFolder(cleanUp), 'contacts.json')
  writeFileSync(file, JSON.stringify(contacts))
  const { host, port, user, password, remove } = await startCluster({ fsync: 'off' })
  // The server that uses it ends before.
  cleanUp(remove)
  const uri = `postgres://${user}:${password}@${host}:${port}/postgres`
  // It makes a folder for logs where it is started.
  const folder = tempFolder(cleanUp)
  return started(process.execPath, [PARSE, JUDGES, file, uri], { folder, path: '/parse', cleanUp })
}

const FORTUNE = fileURLToPath(new URL('fortune-server.mjs', import.meta.url))

/** Fortune.js with its JSON:API serializer, in memory. */
export const startJsonApi: StartServer = async (contacts, cleanUp = onTestFinished) => {
  const file = join(tempFolder(cleanUp), 'contacts.json')
  writeFileSync(file, JSON.stringify(contacts))
  return started(process.execPath, [FORTUNE, file], { cleanUp })
}

/** Ends with the test; the address that it prints, if it prints one. */
async function started(
  program: string,
  args: readonly string[],
  { folder, path = '', cleanUp }: { folder?: string; path?: string; cleanUp: CleanUp },
): Promise<string> {
  // Otherwise json-server 1.x watches its file, and may read an older one over a write that it has answered.
  const env = { PATH: process.env.PATH ?? '', HOME: tempFolder(cleanUp), NODE_ENV: 'production' }
  const child = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  cleanUp(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  const address = await addressIn(child)
  return address + path
}

function addressIn(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface(stream).on('line', (line) => {
      text = `${text}${line}\n`.slice(-2000)
      const found = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(line)?.[0]
      if (found !== undefined) resolve(found.replace('localhost', '127.0.0.1'))
    })
  }
  child.once('exit', (exit) => reject(new Error(`the server ended with ${exit}\n${text}`)))
  child.once('error', reject)
  return promise
}

/** The origin, as soon as the server answers there. */
async function answering(url: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return new URL(url).origin
    if (tries === 100) throw new Error(`${url} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
