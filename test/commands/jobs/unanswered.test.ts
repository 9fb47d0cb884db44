import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { jobPaths } from '../../../src/jobs/store/job-folder.ts'
import { withJob } from '../../../src/jobs/store/open-job.ts'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { jobsIn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { all, ask } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

test('a plan that was not confirmed is made and confirmed again, and does not exist twice', async () => {
  const folder = tempFolder()
  const service = await startService()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  await runJob(['contacts', 'import', writePeople(folder, somePeople(1))], {
    ...env,
    CRM_STATE_HOME: join(folder, 'a'),
  })
  const file = join(folder, 'phones.csv')
  writeFileSync(file, 'email,phone\np0@example.test,1\n')
  const change = ['contacts', 'import', file, '--match', 'email']
  expect((await runJob([...change, '--yes'], env)).exit).toBe(0)
  // As a process leaves it that ended while it asked.
  const job = onlyJob(env.CRM_STATE_HOME)
  withJob(jobPaths(join(env.CRM_STATE_HOME, 'jobs'), job), (file) =>
    file.execute('DELETE FROM event; DELETE FROM lease; DELETE FROM result'),
  )
  const [contact] = await all(service, '/v1/contacts')
  await ask(service, { method: 'PATCH', path: `/v1/contacts/${contact?.id}`, body: { phone: '0' } })

  const again = await crm(change, env)
  expect(again.exit).toBe(11)
  expect(again.stderr).toContain('needs --yes')
  expect(await all(service, '/v1/contacts')).toMatchObject([{ phone: '0' }])
  expect(await runJob([...change, '--yes'], env)).toMatchObject({ exit: 0, account: { done: 1 } })
  expect(await all(service, '/v1/contacts')).toMatchObject([{ phone: '1' }])
  expect(jobsIn(env.CRM_STATE_HOME)).toHaveLength(1)
})

test('failed rows are retried once, however often the command is run', async () => {
  const { url, seen } = await startServer((response, { method }) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (posts() < 3) return sendJson(response, 422, { code: 'invalid_values', detail: 'not yet' })
    sendJson(response, 201, { id: 'con_1' })
  })
  const posts = () => seen.filter(({ method }) => method === 'POST').length
  const folder = tempFolder()
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'crm_key_of_the_test', CRM_STATE_HOME: folder })
  const first = await runJob(['contacts', 'import', writePeople(folder, somePeople(1))], env)
  expect(first).toMatchObject({ exit: 3, account: { failed: 1 } })
  const job = onlyJob(folder)
  expect(await runJob(['jobs', 'retry', job], env)).toMatchObject({ exit: 3, account: { failed: 1 } })
  expect(await runJob(['jobs', 'retry', job], env)).toMatchObject({ exit: 0, account: { done: 1 } })
  const last = await runJob(['jobs', 'retry', job], env)
  expect(last).toMatchObject({ exit: 0, account: { done: 1 } })
  expect(last.stderr).toContain('has already done this')
  expect(posts()).toBe(3)
  const keys = seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(3)
})
