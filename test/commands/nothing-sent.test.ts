import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'

/** A server of one contact and one deal that counts what is written to it. */
async function startCounting() {
  const record = { id: 'x_1', name: 'Ada', stage: 'Lead', amount: 1, pipeline_id: 'p' }
  const { url, seen } = await startServer((response, { method, path }) => {
    if (method !== 'GET') sendJson(response, 200, record)
    else if (path.includes('/stages')) sendJson(response, 200, { data: [{ name: 'Lead' }], next_cursor: null })
    else if (path.endsWith('/x_1')) sendJson(response, 200, record)
    else sendJson(response, 200, { data: [record], next_cursor: null })
  })
  const folder = tempFolder(onTestFinished)
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789', CRM_STATE_HOME: join(folder, 'state') })
  const writes = () => seen.filter(({ method }) => method !== 'GET').length
  return { folder, env, writes }
}

const BESIDE_AN_ID = [
  ...['--plan p', '--run-id r', '--again', '--match email', '--mode update', '--compute a=.b', '--null NULL'],
  ...['--map a=b', '--format csv', '--encoding utf-8', '--delimiter ;', '--quote none', '--from-csv-safe'],
  ...['--concurrency 2', '--rate-share 50%', '--max-errors 3', '--max-outage 1m'],
]

describe('a flag that only a job takes is exit 2 beside an id, and nothing is sent', () => {
  test.for([
    { name: 'contacts delete ID', argv: ['contacts', 'delete', 'x_1', '--yes'], more: [] },
    { name: 'contacts delete -', argv: ['contacts', 'delete', '-', '--yes', '--expect', '1'], more: [] },
    { name: 'contacts update ID', argv: ['contacts', 'update', 'x_1', '--set', 'a=b'], more: ['--expect 1'] },
    { name: 'deals update ID', argv: ['deals', 'update', 'x_1', '--set', 'name=b'], more: ['--expect 1'] },
  ])('$name', async ({ argv, more }) => {
    const { env, writes } = await startCounting()
    for (const flag of [...BESIDE_AN_ID, ...more]) {
      const words = [...argv, ...flag.split(' ')]
      const { exit, stderr } = await crm(words, env, 'x_1\n')
      expect({ exit, said: stderr.startsWith(`crm: ${flag.split(' ')[0]} does not go with an id`) }, stderr).toEqual({
        exit: 2,
        said: true,
      })
    }
    expect(writes()).toBe(0)
    expect(existsSync('p')).toBe(false)
  })
})

test('flags about the rows of a file are exit 2 beside --where, and beside a retry without a file', async () => {
  const { env, writes } = await startCounting()
  const many = ['contacts', 'update', '--where', 'true', '--set', 'a=b', '--yes']
  for (const flag of BESIDE_AN_ID.slice(1, 13)) {
    expect(await crm([...many, ...flag.split(' ')], env), flag).toMatchObject({ exit: 2 })
  }
  expect(writes()).toBe(0)
})

test('--compute with --where is exit 2 with its reason, also without --set', async () => {
  const { env } = await startCounting()
  expect(await crm(['contacts', 'update', '--where', 'true', '--compute', 'a=.b', '--yes'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--compute applies to the rows of a file, and --where reads none'),
  })
})

test('--where-errors without --where is exit 2, beside an id and on a list', async () => {
  const { env, writes } = await startCounting()
  for (const line of [
    ...['contacts update x_1 --set a=b', 'contacts delete x_1 --yes', 'deals update x_1 --set name=b'],
    'contacts list',
  ]) {
    expect(await crm([...line.split(' '), '--where-errors', 'skip'], env), line).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--where-errors needs --where'),
    })
  }
  expect(writes()).toBe(0)
})

test('a plan of another number than --expect is exit 11, and is not written', async () => {
  const { env, writes, folder } = await startCounting()
  const plan = join(folder, 'a.plan')
  for (const line of ['contacts update --where true --set name=Bea', 'contacts delete --where true']) {
    const args = [...line.split(' '), '--plan', plan, '--expect']
    const refused = await crm([...args, '2'], env)
    expect(refused, line).toMatchObject({ exit: 11, stdout: '', stderr: expect.stringContaining('--expect 1\n') })
    expect(existsSync(plan)).toBe(false)
    expect((await crm([...args, '1'], env)).exit, line).toBe(0)
    rmSync(plan)
  }
  expect(writes()).toBe(0)
})

test('a dry run of another number than --expect shows what it would do, and is exit 11 as the run would be', async () => {
  const { env, writes, folder } = await startCounting()
  const file = join(folder, 'people.csv')
  writeFileSync(file, 'name\nBob\n')
  for (const line of [
    ...['contacts update --where true --set name=Bea', 'contacts delete --where true', `contacts import ${file}`],
    ...['contacts delete x_1', 'api DELETE /v1/contacts/x_1', 'graphql mutation{deleteDeal(id:1){id}}'],
  ]) {
    const args = [...line.split(' '), '--dry-run', '--expect']
    const refused = await crm([...args, '2'], env)
    expect(refused, line).toMatchObject({ exit: 11, stderr: expect.stringContaining('--expect 1') })
    expect(await crm([...args, '1'], env), line).toMatchObject({ exit: 0, stdout: expect.stringMatching(/./) })
  }
  expect(writes()).toBe(0)
})

test('an update of - is exit 2, for it reads no ids', async () => {
  const { env, writes } = await startCounting()
  expect(await crm(['contacts', 'update', '-', '--set', 'a=b'], env, 'x_1\n')).toMatchObject({ exit: 2 })
  expect(writes()).toBe(0)
})

describe('--exit-code', () => {
  test('is exit 2 on a command that would send, and nothing is sent', async () => {
    const { env, writes, folder } = await startCounting()
    const file = join(folder, 'people.csv')
    writeFileSync(file, 'name\nBob\n')
    for (const line of [
      ...['contacts create --set a=b', 'contacts update x_1 --set a=b', 'contacts delete x_1 --yes'],
      ...[`contacts import ${file}`, 'contacts delete --where true --yes --expect 1', 'notes add d --body x'],
      ...['deals create --set name=a --set stage=Lead', 'webhooks create --url https://a.test --events *'],
      ...['api POST /v1/contacts -f a=b', 'jobs undo x', 'jobs retry x', 'apply p'],
    ]) {
      expect(await crm([...line.split(' '), '--exit-code'], env), line).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining('--exit-code reports what would change'),
      })
    }
    expect(writes()).toBe(0)
  })

  test('with --plan is 10 where the plan would change something, and 0 where not', async () => {
    const { env, writes, folder } = await startCounting()
    const plan = join(folder, 'a.plan')
    const args = ['contacts', 'update', '--exit-code', '--plan', plan, '--where', 'true', '--set']
    expect(await crm([...args, 'name=Bea'], env)).toMatchObject({ exit: 10 })
    expect(readFileSync(plan, 'utf8')).toContain('Bea')
    const same = [...args.slice(0, 4), join(folder, 'b.plan'), ...args.slice(5), 'name=Ada']
    expect(await crm(same, env)).toMatchObject({ exit: 0 })
    expect(writes()).toBe(0)
  })
})

test('help of update and delete names no mode that they refuse', async () => {
  for (const name of ['contacts update', 'contacts delete', 'deals update']) {
    const { stdout } = await crm([...name.split(' '), '--help'], {})
    expect(stdout).toMatch(/--mode <how>.*\(choices: "update"\)/s)
    expect(stdout).not.toContain('upsert')
    expect((await crm([...name.split(' '), '--from', 'f', '--mode', 'upsert'], {})).exit).toBe(2)
  }
})
