import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crmHurried } from '../harness/crm.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { onlyJob } from '../harness/import-run.ts'
import { sample } from '../harness/sample.ts'
import { MARK, NOTATIONS, partsIn } from '../marked-secret.ts'

// Hundreds of command lines and rows each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const TEXTS = sample(Object.values(NOTATIONS), 3)
/** In each length around the one at which a reason is cut. */
const LONG = sample(
  Array.from({ length: 60 }, (_, at) => `${'x'.repeat(440 + at)} ${MARK}`),
  10,
)

/** How the server refuses a row. */
const REFUSALS: readonly ((response: ServerResponse, text: string) => void)[] = [
  (response, text) => sendJson(response, 422, { detail: text, code: text }, { 'x-request-id': MARK }),
  (response, text) => sendJson(response, 400, { errors: [{ field: text, message: text }], request_id: text }),
  (response, text) => void response.writeHead(409).end(text),
  (response, text) => sendJson(response, 200, { success: false, message: `no: ${text}` }, { 'x-request-id': MARK }),
  (response, text) => sendJson(response, 202, { data: [{ status: 'error', code: text, message: text }] }),
  (response, text) => void response.writeHead(400).end(text.slice(0, 30)),
  (response, text) => void response.writeHead(404, { 'x-correlation-id': MARK }).end(`<h1>${text}</h1>`),
]

function marks(folder: string, except: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => path !== except)
  return paths.flatMap((path) => partsIn(readFileSync(path, 'utf8')).map((part) => `${part} in ${path}`))
}

async function outputs(commands: readonly (readonly string[])[], env: Env): Promise<string> {
  const shown: string[] = []
  for (const args of commands) {
    const { exit, stdout, stderr } = await crmHurried([...args, '--debug', '--max-wait', '0s'], env)
    expect(exit, `${args.join(' ')}: ${stderr}`).not.toBe(1)
    shown.push(`$ crm ${args.join(' ')}\n${stdout}${stderr}`)
  }
  return shown.join('\n')
}

test('the errors of rows leave no part of the key in the journal, failed.csv, or what jobs show', async () => {
  const rows = [...TEXTS, ...LONG]
  const { url } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    const row = Number(JSON.parse(body).name)
    REFUSALS[row % REFUSALS.length]?.(response, rows[Math.floor(row / REFUSALS.length)] ?? '')
  })
  const folder = tempFolder()
  const file = join(folder, 'people.csv')
  const names = Array.from({ length: rows.length * REFUSALS.length }, (_, row) => row)
  writeFileSync(file, `name\n${names.join('\n')}\n`)
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: MARK, CRM_STATE_HOME: join(folder, 'state') })
  const sent = await outputs([['contacts', 'import', file, '--yes', '--max-errors', '100%']], env)
  const job = onlyJob(join(folder, 'state'))
  const shown = await outputs(
    [
      ['jobs', 'failed', job, '-o', 'json'],
      ['jobs', 'failed', job],
      ['jobs', 'show', job, '-o', 'json'],
      ['jobs', 'list'],
      ['jobs', 'retry', job, '--yes', '--max-errors', '100%'],
    ],
    env,
  )
  expect(sent + shown).toContain('[redacted]')
  expect(partsIn(sent + shown)).toEqual([])
  expect(marks(folder, file)).toEqual([])
  expect(marks(env.HOME, file)).toEqual([])
})

/** Answers to everything, that quote the key. */
const ANSWERS: readonly ((response: ServerResponse, text: string) => void)[] = [
  (response, text) => void response.writeHead(500, { 'x-request-id': MARK }).end(text),
  (response, text) => sendJson(response, 503, { message: text }, { 'retry-after': MARK }),
  (response, text) => sendJson(response, 401, { error: { message: text, [MARK]: 1 } }, { 'www-authenticate': MARK }),
  (response) => void response.writeHead(307, { location: `https://elsewhere.example/${MARK}` }).end(),
  (response, text) =>
    sendJson(response, 200, { [text]: text, list: { [MARK]: text } }, { sunset: MARK, link: `<${MARK}>` }),
  (response, text) =>
    sendJson(response, 200, { errors: [{ message: text, extensions: { code: MARK, request_id: text } }] }),
  (response) =>
    sendJson(response, 200, { data: [{ id: MARK, name: MARK, [MARK]: { [MARK]: [MARK] } }], next_cursor: MARK }),
]

test('no command shows a part of the key that the server puts everywhere, and none keeps one', async () => {
  let answer = 0
  let asked = 0
  const { url } = await startServer((response) => ANSWERS[answer]?.(response, TEXTS[asked++ % TEXTS.length] ?? ''))
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: MARK })
  for (answer = 0; answer < ANSWERS.length; answer++) {
    const shown = await outputs(
      [
        ['contacts', 'list', '-o', 'json', '--limit', '3'],
        ['contacts', 'create', '--set', 'name=x'],
        ['deals', 'get', 'deal_1'],
        ['auth', 'status'],
        ['doctor', '-o', 'json'],
      ],
      env,
    )
    expect(partsIn(shown), `answer ${answer}\n${shown}`).toEqual([])
  }
  expect(marks(env.HOME, '')).toEqual([])
})
