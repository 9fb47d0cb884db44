import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { type Env, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { pastPrism } from '../harness/service.ts'
import { CRM } from './crm.ts'
import { test } from './shared-service.ts'

const UNKNOWN = 'con_00000000000\ncon_00000000001\n'

/** Its stdout has no reader: the pipe is closed before crm starts. */
function unread(args: readonly string[], env: Env, input = '') {
  const script =
    '{ while [ ! -e "$GONE" ]; do sleep 0.02; done; "$@"; echo "exit $?" >&2; } | { exec <&-; : > "$GONE"; }'
  const words = ['-c', script, 'bash', process.execPath, CRM, ...args]
  const GONE = join(tempFolder(), 'gone')
  const { stderr } = spawnSync('bash', words, { env: { ...env, GONE }, input, encoding: 'utf8' })
  return { exit: Number(/exit (\d+)\n$/.exec(stderr)?.[1]), stderr }
}

describe('a write whose output has no reader ends with the exit code of its work', () => {
  test('an import with a row that failed is 3', ({ service }) => {
    const folder = tempFolder()
    const file = join(folder, 'notes.csv')
    writeFileSync(file, 'deal_id,body\ndeal_00000000000,nowhere\n')
    const { exit, stderr } = unread(['notes', 'import', file], { ...service.env, CRM_STATE_HOME: folder })
    expect({ exit, stderr }).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(
        /the reader of the output is gone; what took effect: 0 of 1 rows; see crm jobs show job_\w+\n/,
      ),
    })
  })

  test('a delete of ids that are unknown is 6', ({ service }) => {
    const args = ['contacts', 'delete', '-', '--yes', '--expect', '2', '-o', 'jsonl']
    expect(unread(args, service.env, UNKNOWN)).toMatchObject({ exit: 6 })
  })

  test('a request that the server refuses is 7', ({ service }) => {
    const args = ['api', 'POST', '/v1/deals', '-f', 'name=x']
    expect(unread(args, pastPrism(service).env)).toMatchObject({ exit: 7 })
  })

  test('a mutation that the server refuses is 7', ({ service }) => {
    const mutation = 'mutation { nothing { id } }'
    expect(unread(['graphql', mutation], pastPrism(service).env)).toMatchObject({ exit: 7 })
  })

  test('a create that took effect is 0, and its id is on stderr', ({ service }) => {
    expect(unread(['contacts', 'create', '--set', 'name=Ada', '-o', 'id'], service.env)).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^crm: the reader of the output is gone; what took effect: contact con_\w+\n/),
    })
  })
})

describe('the result of a command is its exit code, even if its output has no reader', () => {
  const nowhere = { CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: 'crm_key_0123456789' }

  test('a doctor that reaches no server is 9', ({ service }) => {
    expect(unread(['doctor'], { ...service.env, ...nowhere })).toMatchObject({ exit: 9 })
  })

  test('the status of a key that the server rejects is 4', ({ service }) => {
    const env = { ...service.env, CRM_API_KEY: 'crm_key_0123456789' }
    expect(unread(['auth', 'status'], env)).toMatchObject({ exit: 4 })
  })

  test('a GET that finds nothing is 6', ({ service }) => {
    expect(unread(['api', 'GET', '/v1/nothing'], pastPrism(service).env)).toMatchObject({ exit: 6 })
  })

  test('a dry run with --exit-code that would change something is 10', ({ service }) => {
    const args = ['contacts', 'create', '--set', 'name=Ada', '--dry-run', '--exit-code']
    expect(unread(args, service.env)).toMatchObject({ exit: 10 })
    const folder = tempFolder()
    const file = join(folder, 'people.csv')
    writeFileSync(file, 'name\nGrace\n')
    const rows = ['contacts', 'import', file, '--dry-run', '--exit-code']
    expect(unread(rows, { ...service.env, CRM_STATE_HOME: folder })).toMatchObject({ exit: 10 })
  })

  test('two snapshots that differ are 10', ({ service }) => {
    const files = ['a', 'b'].map((name) => {
      const file = join(tempFolder(), `${name}.ndjson`)
      const lines = [
        { crm_snapshot: 1, server: 'http://127.0.0.1:9', taken_at: '2026-01-01T00:00:00Z' },
        { type: 'contact', record: { id: 'con_1', name } },
        { type: 'end', contacts: 1, deals: 0 },
      ]
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      return file
    })
    expect(unread(['diff', ...files], service.env)).toMatchObject({ exit: 10 })
  })
})

test('a list without a reader is 0', ({ service }) => {
  expect(unread(['contacts', 'list', '-o', 'json'], service.env)).toMatchObject({ exit: 0, stderr: 'exit 0\n' })
})

test('a mistake keeps its exit code when stderr has no reader', async ({ service }) => {
  await make(service, '/v1/contacts', [{ name: 'Ada' }])
  const script =
    '{ while [ ! -e "$GONE" ]; do sleep 0.02; done; "$@" 2>&3 >/dev/null; echo "exit $?"; } 3> >(exec <&-; : > "$GONE")'
  const words = ['-c', script, 'bash', process.execPath, CRM, 'contacts', 'list', '--fields', 'id,nmae']
  const env = { ...service.env, GONE: join(tempFolder(), 'gone') }
  expect(spawnSync('bash', words, { env, encoding: 'utf8' })).toMatchObject({ stdout: 'exit 2\n' })
})
