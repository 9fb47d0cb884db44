import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { run } from '../../../src/program.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, tempFolder } from '../../harness/home.ts'
import { onlyJob, runJob } from '../../harness/import-run.ts'
import { ask, make } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

const MOST_ROWS = 20

/** More than a contact may hold. */
const TOO_LONG = 'x'.repeat(70_000)

async function start() {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const [file, state, log] = [join(folder, 'people.csv'), join(folder, 'state'), join(folder, 'run.log')]
  const env = { ...service.env, CRM_STATE_HOME: state }
  const write = (lines: readonly string[]) => writeFileSync(file, `${lines.join('\n')}\n`)
  return { folder, service, file, state, log, env, write, words: ['contacts', 'import', file, '--match', 'email'] }
}

const people = (count: number, more = (_at: number) => '') =>
  Array.from({ length: count }, (_, at) => `Quinn${at},quinn${at}@people.test${more(at)}`)

/** The people whom a text names. */
const named = (text: string) => new Set(text.match(/quinn\d+/gi)?.map((name) => name.toLowerCase()) ?? [])

/** The words of the command after `and N more: crm `. */
function restOf(stderr: string): { readonly count: number; readonly words: readonly string[] } {
  const [, count, command = ''] = /^and (\d+) more: crm (.+)$/m.exec(stderr) ?? []
  return { count: Number(count), words: command.split(' ') }
}

test('a refused file shows twenty rows at most, and the command that lists all; with -q none', async () => {
  const { env, write, words } = await start()
  const columns = Array.from({ length: 8 }, (_, at) => `n${at}`)
  const typed = columns.flatMap((name) => ['--map', `${name}=${name}:number`])
  // Each row has its mistake in another column.
  const row = (at: number) => columns.map((_, nth) => (nth === at % 8 ? `,bad-quinn${at}` : ',1')).join('')
  write([`name,email,${columns}`, ...people(80, row)])
  const { exit, stderr } = await crm([...words, ...typed], env)
  expect(exit).toBe(2)
  expect(named(stderr).size).toBe(MOST_ROWS)
  const { count, words: rest } = restOf(stderr)
  expect(count).toBe(80 - MOST_ROWS)
  const all = await crm(rest, env)
  expect(named(all.stderr).size).toBe(80)
  for (const format of [[], ['-o', 'jsonl']]) {
    const quiet = await crm([...words, ...typed, ...format, '-q'], env)
    expect(quiet.exit).toBe(2)
    expect(quiet.stderr).toContain(
      format.length === 0 ? '10 × not a number in "n0": line 2, line 10, line 18, …' : '"column":"n0","count":10',
    )
    expect(named(quiet.stdout + quiet.stderr).size).toBe(0)
  }
})

test('a dry run shows twenty rows that it leaves out, and the command that lists them; with -q none', async () => {
  const { env, write, words } = await start()
  write(['name,email', ...people(50)])
  const dry = [...words, '--mode', 'update', '--dry-run']
  const { stdout, stderr } = await crm(dry, env)
  expect(named(stdout).size).toBe(MOST_ROWS)
  const { count, words: rest } = restOf(stderr)
  expect(count).toBe(50 - MOST_ROWS)
  expect(JSON.parse(await crmPrints(rest, env)).left_out).toHaveLength(50)
  const quiet = await crm([...dry, '-q'], env)
  expect(quiet).toMatchObject({ exit: 0, stderr: '' })
  expect(quiet.stdout).toMatch(/skipped +50/)
  expect(named(quiet.stdout).size).toBe(0)
})

test('a plan shows twenty values at most, whatever the number of members that change', async () => {
  const { service, env, write, words } = await start()
  const columns = Array.from({ length: 12 }, (_, at) => `n${at}`)
  const emails = Array.from({ length: 30 }, (_, at) => ({ email: `quinn${at}@people.test`, name: `Quinn${at}` }))
  await make(service, '/v1/contacts', emails)
  // Each change is another one.
  write([`name,email,${columns}`, ...people(30, (at) => columns.map((_, nth) => `,v${at}-${nth}`).join(''))])
  const { stderr } = await crm([...words, '--dry-run'], env)
  expect(stderr).toMatch(/n11: 30 others/)
  const changes = stderr.split('\n').filter((line) => /^ {2}n\d+:/.test(line))
  expect(changes).toHaveLength(12)
  const samples = stderr.split('\n').filter((line) => line.startsWith('  change '))
  expect(changes.join().split('→').length - 1 + samples.length).toBe(MOST_ROWS)
})

test('conflicts of an undo are named up to twenty rows, and with -q not at all', async () => {
  const { service, env, write, words, state } = await start()
  await make(
    service,
    '/v1/contacts',
    Array.from({ length: 30 }, (_, at) => ({ email: `quinn${at}@people.test`, name: 'Old' })),
  )
  write(['name,email', ...people(30)])
  await runJob([...words, '--yes'], env)
  const job = onlyJob(state)
  const { body } = await ask(service, { path: '/v1/contacts?limit=500' })
  for (const { id } of body.data as { id: string }[])
    await ask(service, { method: 'PATCH', path: `/v1/contacts/${id}`, body: { name: `Changed ${id}` } })
  const undo = ['jobs', 'undo', job]
  const dry = await crm([...undo, '--dry-run'], env)
  expect(named(dry.stdout).size).toBe(MOST_ROWS)
  expect(restOf(dry.stderr).count).toBe(30 - MOST_ROWS)
  const shown = await crm([...undo, '--yes'], env)
  expect(named(shown.stderr).size).toBeLessThanOrEqual(MOST_ROWS)
  expect(shown.stderr).toContain('and 25 more')
  const [, listed = ''] = /Skipped rows: crm (jobs failed job_\w+ --skipped)/.exec(shown.stderr) ?? []
  expect(JSON.parse(await crmPrints([...listed.split(' '), '-o', 'json'], env))).toHaveLength(30)
  for (const more of ['--dry-run', '--yes']) {
    const quiet = await crm([...undo, more, '-q'], env)
    expect(named(quiet.stdout + quiet.stderr).size).toBe(0)
  }
})

/** What a command line writes on a terminal where every question is answered with no. */
async function declined(argv: readonly string[], env: Env): Promise<string> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let stderr = ''
  const write = (text: string) => {
    stderr += text
    if (text.endsWith('[y/N] ')) stdin.write('n\n')
    return true
  }
  const exit = await run([...argv], {
    io: { stdin, stdout: { write: () => true }, stderr: { write, isTTY: true } },
    ...{ env, now: Date.now, signal: new AbortController().signal, version: '0.0.0', argv: [...argv] },
    folder: tempFolder(),
  })
  expect(exit, stderr).toBe(11)
  return stderr
}

test('a question repeats the values that change, and with -q names nobody', async () => {
  const { service, env, write, words } = await start()
  await make(service, '/v1/contacts', [{ email: 'quinn0@people.test', name: 'Quinn1' }])
  write(['name,email', ...people(1)])
  expect(await declined(words, env)).toContain('This will change 1 contact (name: "Quinn1" → "Quinn0") of ')
  const quiet = await declined([...words, '-q'], env)
  expect(quiet).toContain('This will change 1 contact of ')
  expect(named(quiet).size).toBe(0)
})

describe('of a run with changes, errors, rows without a match and failures', () => {
  async function mixed(...flags: readonly string[]) {
    const started = await start()
    const { service, env, write, words, log, folder, state } = started
    await make(service, '/v1/contacts', [
      { email: 'quinn0@people.test', name: 'Quinn100' },
      ...[1, 2].map((at) => ({ email: 'quinn1@people.test', name: `Quinn10${at}` })),
    ])
    const notes = ['old', 'two', TOO_LONG, 'extra,quinn3', 'new']
    write(['name,email,note', ...people(5, (at) => `,${notes[at]}`), 'Quinn7,not an email of quinn7 at people.test,x'])
    const rejects = ['--map', 'email=email:email', '--rejects', join(folder, 'bad.csv')]
    const run = await crm([...words, '--yes', '--log', log, ...rejects, ...flags], env)
    expect(run.exit, run.stderr).toBe(3)
    return { ...started, run, job: onlyJob(state), logged: readFileSync(log, 'utf8') }
  }

  test('nobody is named with -q, and the log names nobody in any case', async () => {
    const loud = await mixed()
    expect(named(loud.run.stderr).size).toBeGreaterThan(3)
    expect(loud.logged).toContain('"event":"account"')
    expect(named(loud.logged).size).toBe(0)
    for (const format of [[], ['-o', 'json']]) {
      const { run, logged, job, env } = await mixed('-q', ...format)
      expect(named(run.stdout + run.stderr + logged).size).toBe(0)
      expect(named(await crmPrints(['jobs', 'show', job, '-q'], env)).size).toBe(0)
      // The rows are there for who asks.
      expect(named(await crmPrints(['jobs', 'failed', job, '-o', 'json'], env)).size).toBeGreaterThan(0)
    }
  })

  test('a plan in a file is shown with -q by its numbers, and to programs whole', async () => {
    const { env, write, words, folder } = await start()
    write(['name,email', ...people(30)])
    const plan = join(folder, 'a.plan')
    const quiet = await crm([...words, '--plan', plan, '-q'], env)
    expect(named(quiet.stdout + quiet.stderr).size).toBe(0)
    const shown = await crm(['plan', 'show', plan, '-q'], env)
    expect(shown.stdout).toContain('create 30, of 30 rows')
    expect(named(shown.stdout + shown.stderr).size).toBe(0)
    expect(named(await crmPrints(['plan', 'show', plan, '-q', '-o', 'jsonl'], env)).size).toBe(30)
  })
})
