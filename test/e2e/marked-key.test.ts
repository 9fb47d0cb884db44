import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { freePort } from '../harness/free-port.ts'
import { type Env, emptyHome, type Run, tempFolder } from '../harness/home.ts'
import type { Serving } from '../harness/service.ts'
import { watchCommandLines } from './command-lines.ts'
import { crm, startCrm } from './crm.ts'
import { listen, newSecretFile } from './listening.ts'
import { serve } from './service.ts'

/** It has not the shape of a key of ours, so that nothing but knowing it can hide it. */
const MARK = 'Marked0Key0That0Is0Nowhere0Else0b7Kx29'
const FORMS = [MARK, Buffer.from(MARK).toString('base64'), Buffer.from(MARK).toString('hex')]
const FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id']
const ASKING = [
  ['contacts', 'list'],
  ['contacts', 'get', 'con_1', '-o', 'jsonl'],
  ['contacts', 'create', '--set', 'name=x', '-o', 'json'],
]

function hasMark(text: string): boolean {
  return FORMS.some((form) => text.includes(form))
}

/** Every file in a folder, however deep, with the mark in it or in its name. */
function markedFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ entry, path }) => hasMark(path) || (entry.isFile() && hasMark(readFileSync(path, 'latin1'))))
    .map(({ path }) => path)
}

/** Runs commands with --debug, three at a time, and keeps what they printed. */
function transcript() {
  const runs: { args: readonly string[]; run: Run }[] = []
  const run = async (args: readonly string[], env: Env, input = '') => {
    const all = [...args, '--debug', '--max-wait', '0s']
    const done = await crm(all, env, input)
    runs.push({ args: all, run: done })
    return done
  }
  const runAll = async (commands: readonly (readonly string[])[], env: Env) => {
    const left = [...commands]
    const work = async () => {
      for (let args = left.shift(); args; args = left.shift()) await run(args, env)
    }
    await Promise.all([work(), work(), work()])
  }
  const leaks = () =>
    runs.filter(({ run: { stdout, stderr } }) => hasMark(stdout + stderr)).map(({ args }) => args.join(' '))
  return { run, runAll, leaks, runs }
}

/** What each command that sends requests is given to succeed, and then to fail. */
async function commandsFor(database: string, env: Env): Promise<string[][]> {
  const create = async (...args: string[]) => (await crm([...args, '-o', 'id'], env)).stdout.trim()
  const contact = await create('contacts', 'create', '--set', 'name=Ada')
  const doomed = await create('contacts', 'create', '--set', 'name=Bob')
  const deal = await create('deals', 'create', '--set', 'name=Deal', '--set', 'stage=Lead')
  const serveKeys = ['serve', 'keys']
  const lists = [
    ['contacts', 'list'],
    ['deals', 'list'],
    ['pipelines', 'stages', 'sales'],
    ['auth', 'status'],
  ]
  return [
    ...lists.flatMap((args) => FORMATS.map((format) => [...args, '-o', format])),
    ['contacts', 'list', '--where', '.name == "Ada"', '--jq', '.[0]', '-o', 'json'],
    ['contacts', 'list', '--cursor', 'nonsense'],
    ['contacts', 'list', '--where', '.name ='],
    ['contacts', 'get', contact],
    ['contacts', 'get', 'con_00000000000', '-o', 'json'],
    ['contacts', 'update', contact, '--set', 'name=Grace'],
    ['contacts', 'update', contact, '--set', 'name=Eve', '--if-match', '99', '-o', 'jsonl'],
    ['contacts', 'update', contact, '--set', 'name=Eve', '--dry-run', '-o', 'json'],
    ['contacts', 'delete', doomed],
    ['contacts', 'delete', doomed, '--yes'],
    ['contacts', 'create', '--set', 'name:=1', '-o', 'json'],
    ['contacts', 'create', '--set', 'name=Ada', '--dry-run'],
    ['deals', 'get', deal, '-o', 'yaml'],
    ['deals', 'list', '--filter', 'nope=1', '-o', 'jsonl'],
    ['deals', 'create', '--set', 'name=x', '--set', 'stage=Nowhere'],
    ['notes', 'add', deal, '--body', 'hello', '-o', 'csv'],
    ['notes', 'add', 'deal_00000000000', '--body', 'hello'],
    ['pipelines', 'stages', 'none'],
    ['webhooks', 'create', '--url', 'http://127.0.0.1:9/', '--events', 'contact.*', '-o', 'json'],
    ['webhooks', 'create', '--url', 'ftp://nowhere', '--events', '*'],
    [...serveKeys, 'list', '--database', database, '-o', 'json'],
    [...serveKeys, 'create', '--database', database, '--name', 'other'],
    [...serveKeys, 'revoke', 'key_none', '--database', database],
    ['serve', '--database', '/dev/null/crm.db', '--port', '0'],
    ['config', 'list'],
    ['config', 'path'],
    ['contacts', 'nonsense'],
  ]
}

/** A server that repeats the key it was sent, in each form that an answer which is no record can contain it. */
async function echoing() {
  let way = 0
  const ways: ((response: ServerResponse, key: string) => void)[] = [
    (response, key) => sendJson(response, 401, { error: `Bearer ${key}` }),
    (response, key) => sendJson(response, 400, { errors: [{ detail: key }] }, { 'x-request-id': key }),
    (response, key) => sendJson(response, 422, { [key]: [key] }),
    (response, key) => response.writeHead(500, { 'content-type': 'text/html' }).end(`<title>${key}</title>${key}`),
    (response, key) => response.writeHead(302, { location: `https://elsewhere.example/?key=${key}` }).end(),
    (response, key) => response.writeHead(200).end(`{"data": ${key}`),
    (response, key) => sendJson(response, 403, key, { 'retry-after': key, link: `<${key}>; rel="next"`, [key]: key }),
    (response, key) =>
      sendJson(response, 429, { message: key }, { 'retry-after': '99', ratelimit: `"${key}";r=0;t=9` }),
  ]
  const { url, seen } = await startServer((response, { headers }) =>
    ways[way]?.(response, (headers.authorization ?? '').slice('Bearer '.length)),
  )
  const everyWay = async (work: () => Promise<void>) => {
    for (way = 0; way < ways.length; way++) await work()
  }
  return { origin: url.origin, seen, everyWay }
}

interface Places {
  readonly home: Env & { readonly HOME: string }
  readonly keyFile: string
}

function places(): Places {
  const home = emptyHome()
  const folder = (name: string) => join(home.HOME, name)
  const keyFile = join(tempFolder(), 'key')
  writeFileSync(keyFile, `${MARK}\n`, { mode: 0o600 })
  const xdg = { XDG_DATA_HOME: folder('data'), XDG_CACHE_HOME: folder('cache') }
  const ours = { CRM_CONFIG_HOME: folder('config'), CRM_STATE_HOME: folder('state') }
  return { home: { ...home, ...xdg, ...ours, TMPDIR: home.HOME }, keyFile }
}

async function expectListenIsSilent(env: Env): Promise<void> {
  const { stop, ready } = await listen(['--subscribe', '--debug', '--port', String(await freePort())], env)
  const { stderr } = await stop()
  expect(hasMark(JSON.stringify(ready) + stderr)).toBe(false)
  const other = startCrm(['listen', '--debug', '--port', '0', ...newSecretFile().args], env)
  other.kill('SIGTERM')
  expect(hasMark((await other.done).stderr)).toBe(false)
}

async function serveMarked({ home, keyFile }: Places): Promise<Serving> {
  return serve(['--debug', '--database', join(home.HOME, 'data', 'crm.db'), '--key-file', keyFile], home)
}

test.skipIf(!existsSync('/proc/self/cmdline'))(
  'a key is in no output, file or command line but where it was put (skipped where there is no /proc)',
  async () => {
    const lines = watchCommandLines()
    const place = places()
    const { home, keyFile } = place
    const service = await serveMarked(place)
    const { run, runAll, leaks, runs } = transcript()
    const byVariable = { ...home, CRM_BASE_URL: service.url, CRM_API_KEY: MARK }
    const byFlag = { ...home, CRM_BASE_URL: service.url }

    await runAll(await commandsFor(service.database, byVariable), byVariable)
    await runAll(
      [
        ['contacts', 'list', '--key-file', keyFile],
        ['auth', 'login', '--key-file', keyFile],
      ],
      byFlag,
    )
    await run(['contacts', 'list', '--key-stdin', '-o', 'json'], byFlag, `${MARK}\n`)
    const echo = await echoing()
    await echo.everyWay(() => runAll(ASKING, { ...byVariable, CRM_BASE_URL: echo.origin }))
    expect(echo.seen.every(({ headers }) => hasMark(headers.authorization ?? ''))).toBe(true)
    await runAll(ASKING, { ...byVariable, CRM_BASE_URL: 'http://127.0.0.1:9' })
    await expectListenIsSilent(byVariable)
    expect(markedFiles(home.HOME)).toEqual([])

    const login = ['auth', 'login', '--base-url', service.url, '--storage', 'file']
    await run([...login, '--key-stdin', '-p', 'one'], home, MARK)
    await run([...login, '--key-file', keyFile, '-p', 'two'], home)
    await runAll(
      [
        ['contacts', 'list'],
        ['auth', 'status'],
        ['config', 'list', '-o', 'json'],
        ['auth', 'switch', 'one'],
      ],
      home,
    )
    expect(markedFiles(home.HOME)).toEqual([join(home.CRM_CONFIG_HOME ?? '', 'keys.json')])
    expect((await crm(['auth', 'token'], home)).stdout).toBe(`${MARK}\n`)
    await run(['auth', 'logout', '--all', '--yes'], home)

    expect(leaks()).toEqual([])
    expect(runs.length).toBeGreaterThan(70)
    expect(runs.filter(({ run: { exit } }) => exit === 1).map(({ args }) => args.join(' '))).toEqual([])
    expect(runs.filter(({ run: { exit } }) => exit === 0).length).toBeGreaterThan(40)
    await service.stop()
    expect(hasMark(service.said())).toBe(false)
    expect(lines.seen()).toBeGreaterThan(50)
    expect(lines.all().filter(hasMark)).toEqual([])
  },
)
