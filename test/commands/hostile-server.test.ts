import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SeenRequest, sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'

/** A title, a cleared screen, text from right to left, a colour in eight bits, a line of its own, a hidden character. */
const ATTACK = '\u001b]0;owned\u0007\u001b[2J\u202eevil\u009b31m\r\ncrm: all is well\u200b'

/** Controls but line ends, and what has no width or turns text around. */
const UNSEEN = /[^\P{Cc}\n]|[\u200b\u202a-\u202e\u2066-\u2069]/u

type Answer = (response: ServerResponse, request: SeenRequest) => void

const record = {
  id: `con_${ATTACK}`,
  name: ATTACK,
  email: ATTACK,
  stage: ATTACK,
  body: ATTACK,
  [ATTACK]: { [ATTACK]: ATTACK },
}
const problem = {
  title: ATTACK,
  detail: ATTACK,
  code: ATTACK,
  errors: [{ pointer: ATTACK, code: ATTACK, detail: ATTACK }],
}
/** Of a header, which takes no more than this. */
const HEADER_ATTACK = 'evil\u009b31m'

const ANSWERS: Readonly<Record<string, Answer>> = {
  records: (response, { method, path, body }) => {
    if (path.includes('graphql')) sendJson(response, 404, {})
    else if (method === 'GET') sendJson(response, 200, { data: [record], next_cursor: null, has_more: false })
    else sendJson(response, 200, { ...record, name: `${ATTACK}${/"name":"(\w+)"/.exec(body)?.[1] ?? ''}` })
  },
  refusals: (response) => sendJson(response, 422, problem, { 'x-request-id': HEADER_ATTACK }),
  errors: (response) => sendJson(response, 400, { error: { message: ATTACK, type: ATTACK, [ATTACK]: [ATTACK] } }),
  text: (response) => void response.writeHead(403, { 'content-type': 'text/plain' }).end(ATTACK),
  html: (response) =>
    void response.writeHead(404, { 'content-type': 'text/html' }).end(`<title>${ATTACK}</title><h1>${ATTACK}`),
  'other shapes': (response) => sendJson(response, 200, { [ATTACK]: ATTACK, list: { [ATTACK]: [record] } }),
}

const COMMANDS = [
  ['contacts', 'list'],
  ['contacts', 'get', 'con_1'],
  ['contacts', 'create', '--set', 'name=x'],
  ['contacts', 'update', 'con_1', '--set', 'name=x'],
  ['contacts', 'delete', 'con_1', '--yes'],
  ['deals', 'list', '--summary', 'stage'],
  ['notes', 'list', 'deal_1'],
  ['pipelines', 'stages', 'sales'],
  ['auth', 'status'],
]

for (const [name, answer] of Object.entries(ANSWERS)) {
  test(`no ${name} of a server move the cursor, hide or forge a line of the output`, async () => {
    const { url } = await startServer(answer)
    const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' })
    const file = join(tempFolder(), 'people.csv')
    writeFileSync(file, 'name\nAda\n')
    const commands = [...COMMANDS, ['contacts', 'import', file, '--yes']]
    const runs = await Promise.all(
      commands.map(async (args) => ({ args, ...(await crm([...args, '--debug', '--max-wait', '0s'], env)) })),
    )
    for (const { args, stdout, stderr, exit } of runs) {
      const shown = stdout + stderr
      expect(typeof exit, args.join(' ')).toBe('number')
      expect(exit, shown).not.toBe(1)
      expect(shown, args.join(' ')).not.toMatch(UNSEEN)
      expect(shown, args.join(' ')).not.toMatch(/^crm: all is well/m)
    }
    expect(runs.map(({ stdout, stderr }) => stdout + stderr).join('')).toMatch(/\\(?:x1b|u001b)\]0;owned/)
  })
}

test('a snapshot contains every member unchanged, and nothing that a terminal obeys', async () => {
  const answer: Answer = (response, { path }) =>
    sendJson(response, 200, { data: path.includes('contacts') ? [record] : [], next_cursor: null })
  const { url } = await startServer(answer)
  const { stdout, exit } = await crm(['snapshot'], emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' }))
  expect(exit).toBe(0)
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u)
  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toContainEqual({ type: 'contact', record })
})
