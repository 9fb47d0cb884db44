import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { newDatabase } from '../harness/database.ts'
import { execute } from '../harness/database-rows.ts'
import { anotherMachine, applied, counts, DEMO, demo } from '../harness/fixtures-demo.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { startService } from '../harness/service.ts'
import { crm as builtCrm, startCrm } from './crm.ts'

test('records are created once, however often and wherever they are applied; a destroy deletes them', async () => {
  const { env, file } = await demo()
  const first = await applied(file, env)
  expect([...new Set([...first.values()].map(({ action }) => action))]).toEqual(['created'])
  const again = await applied(file, env)
  expect([...new Set([...again.values()].map(({ action }) => action))]).toEqual(['unchanged'])
  const elsewhere = await applied(file, anotherMachine(env))
  expect([...new Set([...elsewhere.values()].map(({ action }) => action))]).toEqual(['unchanged', 'taken_over'])
  for (const [record, { id }] of first) {
    expect(again.get(record)?.id).toBe(id)
    expect(elsewhere.get(record)?.id).toBe(id)
  }
  expect(await counts(env)).toEqual({ contacts: 7, deals: 5 })
  expect(await crm(['fixtures', 'plan', file, '--exit-code'], env)).toMatchObject({ exit: 0 })

  const { exit, stdout, stderr } = await crm(['fixtures', 'destroy', file, '-o', 'json', '--strict'], env)
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: '16 deleted; run local.\n',
  })
  expect(JSON.parse(stdout)).toHaveLength(16)
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })

  const anew = await applied(file, env)
  expect(anew.get('contacts.ada')?.id).not.toBe(first.get('contacts.ada')?.id)
  expect(await counts(env)).toEqual({ contacts: 7, deals: 5 })
})

test('applied on another machine after a destroy, records are created again, and no deleted one is named', async () => {
  const { env, file } = await demo()
  await applied(file, env)
  await crm(['fixtures', 'destroy', file], env)
  const again = await applied(file, anotherMachine(env))
  const there = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env)).map(({ id }: { id: string }) => id)
  const contacts = [...again].filter(([record]) => record.startsWith('contacts.'))
  expect(contacts.map(([, { id }]) => id).sort()).toEqual([...there].sort())
  expect(again.get('contacts.ada')).toMatchObject({ action: 'created' })
  expect(again.get('deals.big')).toMatchObject({ action: 'created' })
  // Its text has the id of a contact, which is another one now.
  expect(again.get('notes.call[3]')).toMatchObject({ action: 'created' })
  const third = await applied(file, anotherMachine(env))
  expect(third.get('contacts.crowd[0]')).toMatchObject({
    action: 'taken_over',
    id: again.get('contacts.crowd[0]')?.id,
  })
  expect(await counts(env)).toEqual({ contacts: 7, deals: 5 })
})

test('a deal or a note that is gone is created again', async () => {
  const database = await newDatabase()
  const { env } = await startService(['--rate-limit', 'none', '--database', database])
  const file = join(env.HOME, 'demo.yaml')
  writeFileSync(file, DEMO)
  const first = await applied(file, env)
  await execute(database, "DELETE FROM deals WHERE id = (SELECT max(id) FROM deals WHERE name = 'Small')")
  await execute(database, 'DELETE FROM notes WHERE id = (SELECT min(id) FROM notes)')
  const again = await applied(file, env)
  const created = [...again].filter(([, { action }]) => action === 'created').map(([record]) => record.split('[')[0])
  expect(created.sort()).toEqual(['deals.small', 'notes.call', 'notes.call'])
  expect([...again].filter(([, { action }]) => action === 'unchanged')).toHaveLength(first.size - 3)
  expect(await counts(env)).toEqual({ contacts: 7, deals: 5 })
})

test('destroy of a run that is not known here deletes nothing, and is exit 3; with its state it deletes the run', async () => {
  const { env, file } = await demo()
  // The server does not keep a state that has a file.
  const state = join(env.HOME, 'pr-1.json')
  await applied(file, env, '--run-id', 'pr-1', '--state', state)
  const before = await counts(env)
  const line = ['fixtures', 'destroy', file, '--run-id', 'pr-1', '-o', 'json']
  const { exit, stdout, stderr } = await crm(line, anotherMachine(env))
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '[]\n' })
  expect(stderr).toContain(`crm fixtures destroy ${file} --run-id pr-1 --state FILE`)
  expect(await counts(env)).toEqual(before)
  expect(await crm([...line, '--state', state], anotherMachine(env))).toMatchObject({ exit: 0 })
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })
})

test('destroy names records that another machine deleted as gone', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { a: { name: A }, b: { $match: email, email: b@x.test } }\n')
  await crmPrints(['contacts', 'create', '--set', 'email=b@x.test', '-o', 'id'], env)
  for (const { id } of (await applied(file, env)).values()) await crmPrints(['contacts', 'delete', id, '--yes'], env)
  const rows = JSON.parse(await crmPrints(['fixtures', 'destroy', file, '-o', 'json'], env))
  expect(rows.map(({ action }: { action: string }) => action)).toEqual(['gone', 'gone'])
})

test('--env-out does not write over a file that apply reads', async () => {
  const { env, file } = await demo()
  expect(await crm(['fixtures', 'apply', file, '--env-out', `dotenv:${file}`], env)).toMatchObject({ exit: 2 })
  expect(readFileSync(file, 'utf8')).toBe(DEMO)
})

test('with CI set, a run id is taken from the CI service or demanded', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { a: { name: "${run.id}" } }\n')
  for (const verb of ['apply', 'plan', 'status', 'destroy']) {
    const { exit, stderr } = await crm(['fixtures', verb, file], { ...env, CI: 'true' })
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('--run-id "$BUILD_ID"') })
  }
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })
  expect(await crm(['fixtures', 'validate', file], { ...env, CI: 'true' })).toMatchObject({ exit: 0 })
  await crmPrints(['fixtures', 'apply', file, '-q'], { ...env, CI: 'true', BUILD_BUILDID: '17', SYSTEM_JOBID: 'j' })
  expect(await crmPrints(['contacts', 'list', '--jq', '.[].name'], env)).toContain('17-j')
})

test('a target of --env-out that cannot be written is refused before anything is sent', async () => {
  const { env, file } = await demo()
  const link = join(env.HOME, 'link')
  symlinkSync(file, link)
  for (const target of [
    `dotenv:${env.HOME}`,
    `dotenv:${link}`,
    'dotenv:nowhere/.env',
    `json:${link}`,
    `github:${link}`,
  ]) {
    expect(await crm(['fixtures', 'apply', file, '--env-out', target], env)).toMatchObject({ exit: 13, stdout: '' })
  }
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })
})

test('records that were changed or deleted elsewhere are restored; a deal that the file changes is refused', async () => {
  const { env, file } = await demo()
  const first = await applied(file, env)
  await crmPrints(['contacts', 'update', first.get('contacts.ada')?.id ?? '', '--set', 'name=Eva', '-o', 'id'], env)
  await crmPrints(['contacts', 'delete', first.get('contacts.crowd[3]')?.id ?? '', '--yes', '-o', 'id'], env)
  const states = JSON.parse(await crmPrints(['fixtures', 'status', file, '-o', 'json'], env))
  expect(states.filter(({ state }: { state: string }) => state === 'gone')).toHaveLength(1)
  const again = await applied(file, env)
  expect(again.get('contacts.ada')).toMatchObject({ action: 'updated', id: first.get('contacts.ada')?.id })
  expect(again.get('contacts.crowd[3]')).toMatchObject({ action: 'created' })
  expect(again.get('notes.call[3]')).toMatchObject({ action: 'created' })
  const { exit, stderr } = await crm(['fixtures', 'apply', file, '--set', 'deals.big.amount:=5'], env)
  expect({ exit, stderr }).toEqual({
    exit: 7,
    stderr: expect.stringContaining('deals.big has changed since it was made'),
  })
})

test('a contact that is found by $match is changed, and not deleted with the fixtures', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { ada: { $match: email, email: ada@x.test, name: Ada } }\n')
  const id = (await crmPrints(['contacts', 'create', '--set', 'email=Ada@x.test', '-o', 'id'], env)).trim()
  expect((await applied(file, env)).get('contacts.ada')).toMatchObject({ action: 'updated', id })
  expect(JSON.parse(await crmPrints(['fixtures', 'destroy', file, '-o', 'json'], env))).toEqual([
    { record: 'contacts.ada', id, action: 'kept' },
  ])
  expect(await counts(env)).toEqual({ contacts: 1, deals: 0 })
})

test('parallel runs do not meet, and each destroys its own', async () => {
  const { env, file } = await demo()
  const runs = Array.from({ length: 5 }, (_, n) => `run-${n}`)
  const all = await Promise.all(runs.map((run) => applied(file, env, '--run-id', run)))
  expect(new Set(all.flatMap((one) => [...one.values()].map(({ id }) => id))).size).toBe(5 * 16)
  await crmPrints(['fixtures', 'destroy', file, '--run-id', 'run-2'], env)
  expect(await counts(env)).toEqual({ contacts: 4 * 7, deals: 4 * 5 })
  const rest = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
  expect(rest.some(({ email }: { email: string }) => email.includes('+run-2@'))).toBe(false)
})

test('--env-out writes what the next step reads: stdout, a private file, or the files of GitHub', async () => {
  const { env, file } = await demo()
  const ada = (await applied(file, env)).get('contacts.ada')?.id
  const out = (...words: string[]) => crmPrints(['fixtures', 'apply', file, '--env-out', ...words], env)
  expect(JSON.parse(await out('json'))).toEqual({ ADA_ID: ada, NOTE: "it's Ada" })
  expect(await out('dotenv')).toBe(`ADA_ID=${ada}\nNOTE="it's Ada"\n`)
  const dotenv = join(env.HOME, '.env.test')
  await out(`dotenv:${dotenv}`)
  expect(readFileSync(dotenv, 'utf8')).toBe(`ADA_ID=${ada}\nNOTE="it's Ada"\n`)
  expect(statSync(dotenv).mode & 0o777).toBe(0o600)
  const link = join(env.HOME, 'link')
  symlinkSync(dotenv, link)
  expect(await crm(['fixtures', 'apply', file, '--env-out', `dotenv:${link}`], env)).toMatchObject({ exit: 13 })
  const github = join(env.HOME, 'github')
  writeFileSync(github, 'OLD=1\n')
  await crmPrints(['fixtures', 'apply', file, '--env-out', 'github'], { ...env, GITHUB_ENV: github })
  expect(readFileSync(github, 'utf8')).toMatch(new RegExp(`^OLD=1\nADA_ID<<(\\S+)\n${ada}\n\\1\nNOTE<<`))
  expect(await crm(['fixtures', 'apply', file, '--env-out', 'github'], env)).toMatchObject({ exit: 2 })
})

test('an unknown stage, a protected profile and mistakes send nothing', async () => {
  const { env, file } = await demo()
  const wrong = await crm(['fixtures', 'apply', file, '--set', 'deals.big.stage=Wno'], env)
  expect(wrong).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining('there is no stage "Wno"; did you'),
  })
  await crmPrints(['config', 'set', 'base_url', env.CRM_BASE_URL ?? '', '-p', 'prod'], { HOME: env.HOME })
  await crmPrints(['config', 'set', 'protected', 'true', '-p', 'prod'], { HOME: env.HOME })
  for (const verb of ['apply', 'destroy']) {
    expect(await crm(['fixtures', verb, file], env)).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('is protected'),
    })
  }
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })
})

test('a record that the server refuses is named, and is created once it is corrected', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { a: { name: "${env:NAME}" }, b: { name: B } }\n')
  const { exit, stdout, stderr } = await crm(['fixtures', 'apply', file], { ...env, NAME: 'x'.repeat(70_000) })
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  expect(stderr).toContain(`${file}:2:13: contacts.a was rejected; body: the record would have`)
  expect((await applied(file, { ...env, NAME: 'A' })).get('contacts.b')).toMatchObject({ action: 'unchanged' })
  expect(await counts(env)).toEqual({ contacts: 2, deals: 0 })
})

test('a value that no dotenv file can hold is refused before anything is sent', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { a: { name: A } }\nenv: { A: "it\'s `id`" }\n')
  for (const format of ['dotenv', 'dotenv:']) {
    expect(await crm(['fixtures', 'apply', file, '--env-out', format], env)).toMatchObject({ exit: 2, stdout: '' })
  }
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })
})

test('an unknown pipeline is a mistake with its place', async () => {
  const { env, file } = await demo('version: 1\npipeline: nope\ndeals: { a: { name: A, stage: Won } }\n')
  const { exit, stderr } = await crm(['fixtures', 'apply', file], env)
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: expect.stringContaining(`${file}:2:11: there is no pipeline "nope"; list pipelines: crm pipelines list\n`),
  })
})

test('destroy and status of a missing file without a known run report it', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { a: { name: A } }\n')
  const missing = join(env.HOME, 'dmeo.yaml')
  for (const verb of ['destroy', 'status']) {
    const { exit, stderr } = await crm(['fixtures', verb, missing], env)
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringContaining(`there is no file "${missing}", and it has no known run`),
    })
  }
  for (const verb of ['status', 'destroy']) {
    const { exit, stderr } = await crm(['fixtures', verb, file], env)
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining('run local is not known here') })
  }
  await applied(file, env)
  rmSync(file)
  expect(await crmPrints(['fixtures', 'destroy', file, '-o', 'json'], env)).toContain('"deleted"')
})

test('interrupted, apply names the command that continues: itself', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { c: { $count: 3000, name: "${fake.name}" } }\n')
  const child = startCrm(['fixtures', 'apply', file, '-q'], env)
  await expect.poll(() => counts(env).then(({ contacts }) => contacts), { timeout: 20_000 }).toBeGreaterThan(0)
  child.kill('SIGINT')
  const { exit, stderr } = await child.done
  expect({ exit, hint: stderr.split('\n').at(-2) }).toEqual({ exit: 130, hint: `  crm fixtures apply ${file} -q` })
})

test('with its own state file, no other file stays', async () => {
  const { env, file } = await demo()
  const home = tempFolder()
  const bare = { CRM_BASE_URL: env.CRM_BASE_URL ?? '', CRM_API_KEY: env.CRM_API_KEY ?? '', HOME: home }
  const state = join(env.HOME, 'state.json')
  await crmPrints(['fixtures', 'apply', file, '--state', state, '-q'], bare)
  expect(JSON.parse(readFileSync(state, 'utf8')).records).toHaveLength(16)
  expect(readFileSync(state, 'utf8')).not.toContain('Ada')
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).toEqual([])
})

test('a sandbox is seeded before its faults begin, and CMD finds the ids', async () => {
  const { file, env } = await demo()
  const bare = { HOME: env.HOME, PATH: env.PATH ?? '' }
  const words = [process.execPath, '-p', 'process.env.ADA_ID']
  const run = ['sandbox', 'run', '--seed', file, '--fail', '500=100%', '--rate-limit', '1/1s', '--']
  expect((await builtCrm([...run, ...words], bare)).stdout).toMatch(/^con_\w+\n$/)
  writeFileSync(file, 'version: 1\ndeals: { d: { name: D, stage: Wno } }\n')
  expect(await builtCrm([...run, ...words], bare)).toMatchObject({ exit: 2, stdout: '' })
})

test('exported fixtures can be applied elsewhere, with the same result', async () => {
  const [one, other] = [await demo(), await demo()]
  await applied(one.file, one.env)
  await crmPrints(['contacts', 'create', '--set', 'name=${env:HOME}', '--set', 'tier=gold', '-o', 'id'], one.env)
  const text = await crmPrints(['fixtures', 'export', '--deals', 'stage=Lead', '--with', 'contacts,notes'], one.env)
  const file = join(other.env.HOME, 'exported.yaml')
  writeFileSync(file, text)
  expect([...(await applied(file, other.env)).values()]).toHaveLength(8 + 4 + 4)
  const names = async (env: Env) =>
    JSON.parse(await crmPrints(['contacts', 'list', '--jq', 'map([.name, .tier]) | sort'], env))
  expect(await names(other.env)).toEqual(await names(one.env))
})
