import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const A = `version: 1
contacts:
  ada: { email: "a-ada+\${run.id}@example.test", name: Ada A }
  only_a: { email: "only-a+\${run.id}@example.test", name: Only A }
`
const B = A.replaceAll('a-ada', 'b-ada').replaceAll('only_a', 'only_b').replaceAll('only-a', 'only-b')

type Rows = readonly Readonly<Record<string, string>>[]

/** A service, and a repository with two files of one name. */
async function mono() {
  const service = await serveForTest()
  const env = emptyHome({
    CRM_BASE_URL: service.url,
    CRM_API_KEY: service.key.text,
    CRM_STATE_HOME: join(tempFolder(), 'state'),
  })
  const repository = (texts: Readonly<Record<string, string>>) => {
    const root = tempFolder()
    mkdirSync(join(root, '.git'))
    origin(root, 'https://git.example/team/mono.git')
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    }
    return root
  }
  const run = (verb: string, file: string, ...words: readonly string[]) =>
    crm(['fixtures', verb, file, ...words, '-o', 'json'], env)
  const rows = async (...words: Parameters<typeof run>): Promise<Rows> => {
    const { exit, stdout, stderr } = await run(...words)
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const emails = async () =>
    ((await service.send('GET', '/v1/contacts')).json.data as Rows).map(({ email }) => email).toSorted()
  const root = repository({ 'a/fixtures.yaml': A, 'b/fixtures.yaml': B })
  const [a, b] = [join(root, 'a/fixtures.yaml'), join(root, 'b/fixtures.yaml')]
  return { service, env, repository, run, rows, emails, root, a, b }
}

const labels = (rows: Rows) => rows.map(({ record }) => record)
const words = (line = '') => line.split(' ').slice(2)

test.each([
  ['of a person', []],
  ['with an id', ['--run-id', 'pr-1']],
])('files of one name in two folders are two runs, and each destroys its own: a run %s', async (_, id) => {
  const { rows, emails, a, b } = await mono()
  await rows('apply', a, ...id)
  expect(labels(await rows('apply', b, ...id))).toEqual(['contacts.ada', 'contacts.only_b'])
  expect(await emails()).toHaveLength(4)
  expect(labels(await rows('status', a, ...id))).toEqual(['contacts.ada', 'contacts.only_a'])
  await rows('destroy', a, ...id)
  expect(labels(await rows('status', b, ...id))).toEqual(['contacts.ada', 'contacts.only_b'])
  expect((await emails()).every((email) => email?.includes('b'))).toBe(true)
  expect(await emails()).toHaveLength(2)
})

test('a run is the same from a link to its folder, and in a repository that was moved', async () => {
  const { rows, root, a } = await mono()
  const made = await rows('apply', a)
  const link = join(tempFolder(), 'link')
  symlinkSync(root, link)
  expect(labels(await rows('status', join(link, 'a/fixtures.yaml')))).toEqual(labels(made))
  const moved = join(tempFolder(), 'moved')
  renameSync(root, moved)
  const again = await rows('apply', join(moved, 'a/fixtures.yaml'))
  expect(again.map(({ action }) => action)).toEqual(['unchanged', 'unchanged'])
})

test('the run of a person in another repository with the same path is refused, and has its own with a run id', async () => {
  const { run, rows, emails, repository, a } = await mono()
  await rows('apply', a)
  const other = join(repository({ 'a/fixtures.yaml': B }), 'a/fixtures.yaml')
  for (const verb of ['apply', 'plan', 'status', 'destroy']) {
    const { exit, stderr } = await run(verb, other)
    expect(exit).toBe(7)
    expect(stderr).toContain('was applied in another repository')
    expect(stderr).toContain(`crm fixtures apply ${other} --run-id NAME`)
    expect(stderr).toContain(`crm fixtures destroy ${a}`)
  }
  await rows('apply', other, '--run-id', 'mine')
  expect(await emails()).toHaveLength(4)
  await rows('destroy', a)
  await rows('apply', other)
  expect(await emails()).toHaveLength(4)
})

test('destroy of a run that was never applied deletes nothing, and is exit 3 with the command to type', async () => {
  const { run, emails, service, a } = await mono()
  await service.send('POST', '/v1/contacts', { name: 'Ada A', email: 'a-ada+r9@example.test' })
  const { exit, stdout, stderr } = await run('destroy', a, '--run-id', 'r9')
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '[]\n' })
  expect(stderr).toContain('run r9 is not known here, nor what it made; nothing was deleted')
  expect(stderr).toContain(`crm fixtures destroy ${a} --run-id r9 --state FILE`)
  expect(await emails()).toEqual(['a-ada+r9@example.test'])
})

/** Rewrites the state of a run as an earlier crm kept it: by the base name of its file. */
function asBefore(stateHome: string, runId: string, more: Rows = []): string {
  const folder = join(stateHome, 'fixtures')
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  expect(names).toHaveLength(1)
  const { root: _, ...state } = JSON.parse(readFileSync(join(folder, names[0] ?? ''), 'utf8'))
  rmSync(join(folder, names[0] ?? ''))
  const run = `fixtures/fixtures.yaml/${runId}`
  const former = join(folder, `${hash('sha256', `${state.account}\0${run}`).slice(0, 24)}.json`)
  writeFileSync(former, JSON.stringify({ ...state, run, records: [...state.records, ...more] }), { mode: 0o600 })
  return former
}

test('a state that an earlier crm kept by the base name is the state of its file, and of no other', async () => {
  const { rows, run, emails, env, a, b } = await mono()
  await rows('apply', a)
  const former = asBefore(env.CRM_STATE_HOME ?? '', 'local')
  expect(labels(await rows('status', a))).toEqual(['contacts.ada', 'contacts.only_a'])
  expect(await run('apply', b)).toMatchObject({ exit: 7 })
  expect((await rows('apply', a)).map(({ action }) => action)).toEqual(['unchanged', 'unchanged'])
  expect(readdirSync(dirname(former)).filter((name) => former.endsWith(name))).toEqual([])
  await rows('apply', b)
  await rows('destroy', a)
  expect(await emails()).toEqual(['b-ada+local@example.test', 'only-b+local@example.test'])
})

test('a former state without a label of the files is left alone', async () => {
  const { rows, run, env, repository, a } = await mono()
  await rows('apply', a)
  asBefore(env.CRM_STATE_HOME ?? '', 'local')
  const other = repository({ 'fixtures.yaml': 'version: 1\ncontacts: { eve: { name: Eve } }\n' })
  expect(await run('status', join(other, 'fixtures.yaml'))).toMatchObject({ exit: 3 })
  expect(labels(await rows('apply', join(other, 'fixtures.yaml')))).toEqual(['contacts.eve'])
  expect(labels(await rows('status', a))).toEqual(['contacts.ada', 'contacts.only_a'])
})

test('a former state of several files is refused, and each command in the refusal works as typed', async () => {
  const { rows, run, emails, env, a, b } = await mono()
  await rows('apply', a, '--run-id', 'local', '--state', join(env.HOME, 'x.json'))
  const { records } = JSON.parse(readFileSync(join(env.HOME, 'x.json'), 'utf8'))
  await rows('destroy', a, '--run-id', 'local', '--state', join(env.HOME, 'x.json'))
  await rows('apply', b)
  asBefore(env.CRM_STATE_HOME ?? '', 'local', records.slice(1))
  for (const [verb, file] of [
    ['apply', b],
    ['plan', a],
    ['status', b],
    ['destroy', a],
  ] as const) {
    const { exit, stderr } = await run(verb, file)
    expect({ exit, stderr }).toEqual({
      exit: 7,
      stderr: expect.stringContaining('for files of that name in every folder'),
    })
  }
  expect(await emails()).toHaveLength(2)
  const { stderr } = await run('apply', b)
  const [, destroy, apply] = /delete what it names: (crm .*); if these files made it: (crm .*)/.exec(stderr) ?? []
  expect(await crm(words(apply).length > 0 ? ['fixtures', ...words(apply)] : [], env)).toMatchObject({ exit: 0 })
  expect(await crm(['fixtures', ...words(destroy)], env)).toMatchObject({ exit: 0 })
  expect(await emails()).toEqual([])
  expect((await rows('apply', b)).map(({ action }) => action)).toEqual(['created', 'created'])
})

test('a state that an earlier crm kept on the server by the base name goes on, and nothing is made twice', async () => {
  const { rows, run, emails, service, repository, a, b } = await mono()
  const copy = join(repository({ 'copy/fixtures.yaml': A }), 'copy/fixtures.yaml')
  const made = await rows('apply', copy, '--run-id', 'pr-1')
  const [{ id } = {}] = (await service.send('GET', '/v1/fixture-runs')).json.data as Rows
  const { state } = (await service.send('GET', `/v1/fixture-runs/${id}`)).json as { state: object }
  const name = 'fixtures/fixtures.yaml/pr-1'
  const path = `/v1/fixture-runs/${hash('sha256', name).slice(0, 24)}`
  await service.send('POST', `${path}/lock`, { token: 't', name, owner: 'earlier', ttl_seconds: 30 })
  await service.send('PATCH', path, { token: 't', state: { ...state, run: name }, is_ended: false })
  await service.send('DELETE', `${path}/lock?token=t`)
  expect((await service.send('GET', path)).json).toMatchObject({ is_ended: false })
  expect(await run('apply', b, '--run-id', 'pr-1')).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('crm fixtures sweep --older-than 1h --dry-run'),
  })
  expect(labels(await rows('status', a, '--run-id', 'pr-1'))).toEqual(labels(made))
  const again = await rows('apply', a, '--run-id', 'pr-1')
  expect(again.map(({ action }) => action)).toEqual(['unchanged', 'unchanged'])
  expect((await service.send('GET', path)).json).toMatchObject({ is_ended: true })
  expect(labels(await rows('status', a, '--run-id', 'pr-1'))).toEqual(labels(made))
  await rows('apply', b, '--run-id', 'pr-1')
  await rows('destroy', a, '--run-id', 'pr-1')
  expect(await emails()).toEqual(['b-ada+pr-1@example.test', 'only-b+pr-1@example.test'])
})

function origin(root: string, url: string): void {
  const remote = `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`
  writeFileSync(join(root, '.git/config'), `[core]\n\tbare = false\n${remote}`)
}

test.each(['local', 'ci'])('a renamed file goes on with its records, in run %s', async (runId) => {
  const { root, a, emails, rows, run } = await mono()
  origin(root, 'https://git.example/team/app.git')
  const named = runId === 'local' ? [] : ['--run-id', runId]
  await rows('apply', a, ...named)
  const before = await emails()
  const [renamed, copy] = [join(root, 'people.yaml'), join(root, 'copy.yaml')]
  // A copy is no renaming: it has a run of its own.
  writeFileSync(copy, A.replaceAll('@', '.copy@'))
  expect((await rows('apply', copy, ...named)).map(({ action }) => action)).toEqual(['created', 'created'])
  await rows('destroy', copy, ...named)
  expect(await emails()).toEqual(before)
  renameSync(a, renamed)
  for (const verb of ['plan', 'apply', 'status']) {
    const actions = (await rows(verb, renamed, ...named)).map(({ action, state }) => action ?? state)
    expect(new Set(actions)).toEqual(new Set([verb === 'status' ? 'there' : 'unchanged']))
  }
  expect(await emails()).toEqual(before)
  await rows('destroy', renamed, ...named)
  expect(await emails()).toEqual([])
  expect((await run('status', a, ...named)).exit).not.toBe(0)
})

test('of two files that may be the renamed one, none is taken', async () => {
  const { root, a, rows, run, emails } = await mono()
  const other = join(root, 'c.yaml')
  writeFileSync(other, A.replaceAll('a-ada', 'c-ada').replaceAll('only-a', 'only-c'))
  for (const file of [a, other]) await rows('apply', file)
  const renamed = join(root, 'people.yaml')
  renameSync(a, renamed)
  rmSync(other)
  const before = await emails()
  expect(await run('apply', renamed)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('may be that of'),
  })
  expect(await emails()).toEqual(before)
})

test('a file of the same path and run id in another repository is refused on one server', async () => {
  const { root, a, repository, rows, run, emails } = await mono()
  origin(root, 'git@git.example:team/app.git')
  await rows('apply', a, '--run-id', 'r')
  const before = await emails()
  const [clone, fork] = [repository({ 'a/fixtures.yaml': A }), repository({ 'a/fixtures.yaml': A })]
  origin(clone, 'ssh://git@git.example/team/app')
  origin(fork, 'https://git.example/other/app.git')
  for (const verb of ['status', 'apply', 'destroy'])
    expect((await run(verb, join(fork, 'a/fixtures.yaml'), '--run-id', 'r')).exit).toBe(7)
  expect(await emails()).toEqual(before)
  expect(labels(await rows('destroy', join(clone, 'a/fixtures.yaml'), '--run-id', 'r'))).toHaveLength(2)
  expect(await emails()).toEqual([])
})

const OF_NOW = 'version: 1\ncontacts: { a: { name: "at ${now}", email: "a+${run.id}@x.test" } }\n'
const OTHER = 'version: 1\ncontacts: { b: { name: B, email: "b+${run.id}@x.test" } }\n'

/** Files in a repository with an origin, and what is done with them; each apply of what was made goes on with it. */
test.each<{ what: string; steps: readonly (readonly string[])[] }>([
  {
    what: 'renamed and renamed back',
    steps: [
      ['apply', 'f'],
      ['mv', 'f', 'g'],
      ['apply', 'g'],
      ['mv', 'g', 'f'],
      ['apply', 'f'],
    ],
  },
  {
    what: 'renamed to a name whose run was destroyed',
    steps: [
      ['apply', 'f'],
      ['destroy', 'f'],
      ['mv', 'f', 'g'],
      ['apply', 'g'],
      ['mv', 'g', 'f'],
      ['apply', 'f'],
    ],
  },
  {
    what: 'named in another order',
    steps: [
      ['apply', 'f', 'h'],
      ['apply', 'h', 'f'],
    ],
  },
  {
    what: 'one of two renamed',
    steps: [
      ['apply', 'f', 'h'],
      ['mv', 'h', 'i'],
      ['apply', 'f', 'i'],
    ],
  },
])('files that are $what make nothing twice', async ({ steps }) => {
  for (const named of [[], ['--run-id', 'ci']]) {
    const { repository, rows, emails } = await mono()
    const root = repository({ f: OF_NOW, h: OTHER })
    origin(root, 'https://git.example/team/app.git')
    let last: Rows = []
    for (const [verb = '', ...names] of steps) {
      const [first = '', ...others] = names.map((name) => join(root, name))
      if (verb === 'mv') renameSync(first, others[0] ?? '')
      else last = await rows(verb, first, ...others, ...named)
    }
    expect(new Set(last.map(({ action }) => action))).toEqual(new Set(['unchanged']))
    const end = (steps.at(-1) ?? []).slice(1).map((name) => join(root, name))
    await rows('destroy', end[0] ?? '', ...end.slice(1), ...named)
    expect(await emails()).toEqual([])
  }
})

test('two repositories without an origin do not share a run', async () => {
  const { repository, rows, run, emails } = await mono()
  const [one, two] = [repository({ f: OTHER }), repository({ f: OTHER })]
  for (const root of [one, two]) rmSync(join(root, '.git/config'))
  await rows('apply', join(one, 'f'), '--run-id', 'r')
  const before = await emails()
  for (const verb of ['apply', 'destroy']) expect((await run(verb, join(two, 'f'), '--run-id', 'r')).exit).toBe(7)
  expect(await emails()).toEqual(before)
})
