import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { checkJsonOutput } from '../harness/json-output.ts'

const KEY = 'k_0123456789'

const CONTACTS = [
  { id: 'c_1', email: 'a@x.test', name: 'X' },
  { id: 'c_2', email: 'b@x.test', name: 'Y' },
]

/** A server with two contacts and the nine endpoints alone, as a profile, protected or not. */
async function startWith(isProtected: boolean) {
  const { url, seen } = await startServer((response, { method, path, body }) => {
    if (method !== 'GET')
      sendJson(response, 201, {
        id: method === 'POST' ? `n_${seen.length}` : path.split('/').at(-1),
        ...JSON.parse(body || '{}'),
      })
    else sendJson(response, 200, { data: path.includes('contacts') ? CONTACTS : [], next_cursor: null })
  })
  const folder = tempFolder()
  const env = emptyHome({ CRM_STATE_HOME: join(folder, 'state') })
  const where = ['--base-url', url.origin, '--connector', 'contract', '-p', 'prod']
  const login = ['auth', 'login', ...where, '--storage', 'file', '--key-stdin']
  const { exit, stderr } = await crm([...login, ...(isProtected ? ['--protected'] : [])], env, KEY)
  expect(exit, stderr).toBe(0)
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return { env, file, writes: () => seen.filter(({ method }) => method !== 'GET') }
}

const JOBS = [
  { name: 'an import of deals', argv: ['deals', 'import'], text: 'name,stage\nA,Lead\nB,Lead\n' },
  { name: 'an import of notes', argv: ['notes', 'import'], text: 'deal_id,body\nd_1,A\nd_1,B\n' },
  {
    name: 'an import that changes',
    argv: ['contacts', 'import', '--match', 'email'],
    text: 'email,name\na@x.test,A\nb@x.test,B\n',
  },
  { name: 'an update of many', argv: ['contacts', 'update', '--where', 'true', '--set', 'name=A'], text: undefined },
]

describe('on a protected profile', () => {
  test.for(JOBS)('$name needs --yes --expect N', async ({ argv, text }) => {
    const { env, file, writes } = await startWith(true)
    const args = text === undefined ? argv : [...argv, file('rows.csv', text)]
    for (const more of [[], ['--yes'], ['--expect', '2']]) {
      expect(await crm([...args, ...more], env), more.join(' ')).toMatchObject({
        exit: 11,
        stderr: expect.stringMatching(/protected profile prod .*needs --yes --expect 2\n {2}crm .*--expect 2 --yes\n$/),
      })
    }
    expect((await crm([...args, '--yes', '--expect', '3'], env)).exit).toBe(11)
    expect(writes()).toHaveLength(0)
    const sent = await crm([...args, '--yes', '--expect', '2'], env)
    expect(sent.exit, sent.stderr).toBe(0)
    expect(writes()).toHaveLength(2)
  })

  test.for(JOBS)('$name goes on with --yes --expect-most N, up to N', async ({ argv, text }) => {
    const { env, file, writes } = await startWith(true)
    const args = text === undefined ? argv : [...argv, file('rows.csv', text)]
    expect((await crm([...args, '--expect-most', '5'], env)).exit).toBe(11)
    expect(await crm([...args, '--yes', '--expect-most', '1'], env)).toMatchObject({
      exit: 11,
      stderr: expect.stringMatching(
        /--expect-most 1, but this would (?:create|change) 2 .*nothing was sent\n.*--dry-run/,
      ),
    })
    expect(writes()).toHaveLength(0)
    const sent = await crm([...args, '--yes', '--expect-most', '2'], env)
    expect(sent.exit, sent.stderr).toBe(0)
    expect(writes()).toHaveLength(2)
  })

  test.for([
    ['contacts', 'delete', '--where', 'true'],
    ['contacts', 'delete', 'c_1', 'c_2'],
  ])('%s %s %s goes on with --yes --expect-most N, up to N', async (argv) => {
    const { env } = await startWith(true)
    expect((await crm([...argv, '--yes', '--expect-most', '1'], env)).stderr).toContain(
      '--expect-most 1, but this would delete 2 contacts; nothing was sent',
    )
    const refused = await crm([...argv, '--yes', '--expect-most', '2', '--dry-run'], env)
    expect(refused.exit, refused.stderr).toBe(0)
    // The server of the nine endpoints deletes none.
    expect((await crm([...argv, '--yes', '--expect-most', '2'], env)).stderr).not.toContain('--expect')
  })

  test('an import that only creates contacts needs no confirmation, because it can be undone', async () => {
    const { env, file } = await startWith(true)
    expect(await crm(['contacts', 'import', file('p.csv', 'email\nc@x.test\n')], env)).toMatchObject({ exit: 0 })
  })
})

describe('on any other profile', () => {
  test('an import of deals needs no confirmation', async () => {
    const { env, file } = await startWith(false)
    const run = await crm(['deals', 'import', file('d.csv', 'name,stage\nA,Lead\n')], env)
    expect(run).toMatchObject({ exit: 0 })
    expect(run.stderr).toContain('Creates cannot be undone: this server offers no way to delete deals.\n')
  })

  test('a plan states how many records it creates that cannot be deleted', async () => {
    const { env, file } = await startWith(false)
    const plan = async (args: readonly string[]) => {
      const words = [...args, '--dry-run', '-o', 'json']
      const ran = await crm(words, env)
      checkJsonOutput(words, ran)
      return { said: ran.stderr.includes('cannot be undone'), count: JSON.parse(ran.stdout).cannot_undo }
    }
    const deals = ['deals', 'import', file('d.csv', 'name,stage\nA,Lead\n')]
    const notes = ['notes', 'import', file('n.csv', 'deal_id,body\nd_1,A\nd_1,B\n')]
    const contacts = ['contacts', 'import', file('p.csv', 'email\nc@x.test\n')]
    expect(await plan(deals)).toEqual({ said: true, count: 1 })
    expect(await plan(notes)).toEqual({ said: true, count: 2 })
    expect(await plan(contacts)).toEqual({ said: false, count: 0 })
  })
})
