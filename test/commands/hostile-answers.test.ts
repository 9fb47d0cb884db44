import { expect, test } from 'vitest'
import { type SeenRequest, sendJson, startServer, startTcpServer } from '../api/answering-server.ts'
import { startRun } from '../harness/crm.ts'
import { emptyHome, type Run } from '../harness/home.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'
import { checkJsonOutput } from '../harness/json-output.ts'
import { sample } from '../harness/sample.ts'
import { MARK, partsIn } from '../marked-secret.ts'
import { BODIES } from './hostile-answers/bodies.ts'
import { TRANSFERS } from './hostile-answers/headers.ts'
import { PAGES } from './hostile-answers/pages.ts'
import { RECORDS } from './hostile-answers/records.ts'
import { ADA, COMMANDS, type Command, page, type Row, THREE_ROWS, type Want } from './hostile-answers/row.ts'
import { STATUSES } from './hostile-answers/statuses.ts'

const ROWS: readonly Row[] = [...BODIES, ...RECORDS, ...STATUSES, ...TRANSFERS, ...PAGES]

/** Controls but line ends, and what turns text around. */
const OBEYED = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u

/** Far more than any message needs. */
const MOST_CHARS = 4000

/** What the reads of a write find: nothing that it made. */
const BEFORE: Readonly<Record<string, object>> = {
  create: page([{ id: 'con_2', name: 'Bob' }]),
  update: page([{ ...ADA, name: 'Old' }]),
  delete: page([ADA]),
  import: page([]),
}

for (const [command, what, answer, want] of sample(ROWS, 8)) {
  test(`a ${command} answered with ${what} is exit ${want.exit}, and says no more than is known`, async () => {
    const elsewhere = await startServer((response) => sendJson(response, 200, page([ADA])))
    const answered: SeenRequest[] = []
    const url =
      'talk' in answer
        ? await startTcpServer(answer.talk)
        : (
            await startServer((response, request) => {
              const before = request.method === 'GET' ? BEFORE[command] : undefined
              if (before) return sendJson(response, 200, before)
              answered.push(request)
              answer(response, { request, nth: answered.length, elsewhere: elsewhere.url.origin })
            })
          ).url
    const argv = [...COMMANDS[command], '--max-wait', '1s', '--timeout', '2s', '-o', 'json']
    const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: MARK })
    const stdin = command === 'import' ? THREE_ROWS : ''
    const { exit, written } = startRun(argv, env, { stdin, timing: hurriedTiming() })
    const run = { exit: await exit, ...written }
    expect(run.exit, run.stderr).toBe(want.exit)
    checkJsonOutput(argv, run)
    expectSafe(run)
    expectMessage(command, run, want)
    expectOutput(command, run, want)
    expect(elsewhere.seen).toEqual([])
  }, 30_000)
}

function expectSafe({ stdout, stderr }: Run): void {
  expect(stdout + stderr).not.toMatch(OBEYED)
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
  expect(stderr).not.toMatch(/^crm: all is well/m)
  expect(stderr.length).toBeLessThan(MOST_CHARS)
  expect(partsIn(stdout + stderr)).toEqual([])
}

/** One error; an import has an account of its plan before it. */
function expectMessage(command: Command, { exit, stderr }: Run, { says, isInDoubt }: Want): void {
  const errors = stderr.split('\n').filter((line) => line.startsWith('{"error":'))
  expect(errors).toHaveLength(exit === 0 ? 0 : 1)
  if (exit === 0) {
    if (command !== 'import') expect(stderr).toBe(command === 'delete' ? 'Deleted contact con_1.\n' : '')
    return
  }
  if (command !== 'import') expect(stderr).toBe(`${errors[0]}\n`)
  const { error } = JSON.parse(errors[0] ?? '')
  if (says) expect(error.message).toMatch(says)
  if (isInDoubt) expect(error.message).toContain('it is unknown whether the server applied it')
  if (isInDoubt && exit === 3) expect(error.code).toBe('in_doubt')
}

function expectOutput(command: Command, { exit, stdout }: Run, { shown, begun, account, isInDoubt }: Want): void {
  if (command === 'import') {
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, unchanged: 0, skipped: 0, ...account })
  } else if (command === 'delete') {
    const outcome = exit === 0 ? 'done' : isInDoubt ? 'in_doubt' : 'failed'
    expect(JSON.parse(stdout)).toMatchObject([{ id: 'con_1', outcome }])
  } else if (shown !== undefined) {
    expect(asWritten(stdout)).toBe(asWritten(shown))
  } else {
    expect(asWritten(stdout)).toBe(begun ?? '')
  }
}

/** Without white space, and with the escapes that JSON leaves open. */
function asWritten(json: string): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(/\s+/g, '').replace(/[\u007f-\u009f\u200b-\u202e\u2066-\u2069]/g, escaped)
}
