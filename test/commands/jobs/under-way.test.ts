import { expect, test } from 'vitest'
import { crm, startRun } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { somePeople, writePeople } from '../../harness/import-run.ts'
import { startProxy } from '../../harness/proxy.ts'
import { serveForTest } from '../../service/serve-for-test.ts'

test('while a job is sent, its rows without an answer are under way, and hints name its process', async () => {
  const service = await serveForTest()
  const [first, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const proxy = await startProxy(service.url, (method) => {
    if (method === 'GET') return undefined
    first.resolve()
    return held.promise
  })
  const env = emptyHome({ CRM_BASE_URL: proxy, CRM_API_KEY: service.key.text })
  const json = async (...argv: string[]) => {
    const run = await crm([...argv, '-o', 'json'], env)
    expect(run.exit, run.stderr).toBe(0)
    return { ...run, records: JSON.parse(run.stdout) }
  }
  const line = ['contacts', 'import', writePeople(tempFolder(), somePeople(5)), '--yes']
  const running = startRun(line, env)
  await first.promise
  const sender = `process ${process.pid}`
  const [listed] = (await json('jobs', 'list')).records
  expect(listed).toMatchObject({ state: 'running', in_doubt: 0, rows: 5, done: 0 })
  expect(listed.under_way + listed.unsent).toBe(5)
  expect(listed.under_way).toBeGreaterThan(0)
  const shown = await json('jobs', 'show', listed.id)
  expect(shown).toMatchObject({ records: { in_doubt: 0 }, stderr: expect.stringContaining(`sent by ${sender}`) })
  const failed = await json('jobs', 'failed', listed.id)
  expect(failed.records).toEqual([])
  expect(failed.stderr).toMatch(new RegExp(`sent by ${sender}; \\d+ rows? (is|are) under way, and not listed`))
  expect(failed.stderr).not.toContain('failed.csv')
  for (const args of [['undo'], ['retry'], ['prune']]) {
    const refused = await crm(['jobs', ...args, listed.id, '--yes'], env)
    expect(refused, refused.stderr).toMatchObject({
      exit: 7,
      stderr: expect.stringContaining(`wait until ${sender}, which sends it, has ended`),
    })
    expect(refused.stderr).not.toMatch(/jobs (resume|cancel)/)
  }
  for (const args of [['jobs', 'resume', listed.id], ['jobs', 'cancel', listed.id], line]) {
    const refused = await crm(args, env)
    expect(refused, refused.stderr).toMatchObject({
      exit: 7,
      stderr: expect.stringContaining(`${listed.id} is held by ${sender}`),
    })
  }
  held.resolve()
  expect(await running.exit, running.written.stderr).toBe(0)
  expect((await json('jobs', 'show', listed.id)).records).toMatchObject({ state: 'finished', done: 5, under_way: 0 })
})

test('an undo that is being sent refuses a second one', async () => {
  const service = await serveForTest()
  const [first, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const proxy = await startProxy(service.url, (method) => {
    if (method !== 'DELETE') return undefined
    first.resolve()
    return held.promise
  })
  const env = emptyHome({ CRM_BASE_URL: proxy, CRM_API_KEY: service.key.text })
  await crm(['contacts', 'import', writePeople(tempFolder(), somePeople(3)), '--yes'], env)
  const { stdout } = await crm(['jobs', 'list', '-o', 'id'], env)
  const undo = ['jobs', 'undo', stdout.trim(), '--yes', '--expect-most', '3']
  const running = startRun(undo, env)
  await first.promise
  const whole = await crm(undo, env)
  expect(whole).toMatchObject({ exit: 7, stderr: expect.stringContaining(`is held by process ${process.pid}`) })
  const part = await crm([...undo, '--rows', '2'], env)
  expect(part).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining(`wait until process ${process.pid}, which sends it, has ended`),
  })
  held.resolve()
  expect(await running.exit, running.written.stderr).toBe(0)
})
