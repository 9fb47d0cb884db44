import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

test('after a cancelled import, failed and undo name the rows that were under way when it was killed', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const proxy = await holdWrites(service.url, 20)
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: stateHome }
  const child = startCrm(['contacts', 'import', writePeople(folder, somePeople(60)), '--yes'], env)
  await proxy.firstWrite
  child.kill('SIGKILL')
  await child.done
  proxy.release()
  await proxy.settled()
  const job = onlyJob(stateHome)
  const cancelled = await crm(['jobs', 'cancel', job, '-o', 'json'], env)
  const { in_doubt: doubt, done, unsent } = JSON.parse(cancelled.stdout)
  expect(doubt).toBeGreaterThan(0)
  expect(cancelled.stderr).toContain(`Of 60 rows, ${unsent} are never sent, and ${done} stay done.`)
  expect(cancelled.stderr).toContain(`${doubt} in doubt may have been done, and jobs resume no longer checks`)

  const failed = await crm(['jobs', 'failed', job, '-o', 'json'], env)
  expect(JSON.parse(failed.stdout)).toHaveLength(doubt)
  expect(failed.stderr).toContain('failed.csv')
  const resumed = await crm(['jobs', 'resume', job], env)
  expect(resumed).toMatchObject({ exit: 7, stdout: '' })
  expect(resumed.stderr).toContain('was cancelled')
  const undone = await runJob(['jobs', 'undo', job, '--yes', '--expect', `${done}`], env)
  expect(undone).toMatchObject({ exit: 3, account: { done, skipped: doubt } })
  expect(undone.stderr).toContain(`${doubt} in doubt, and may exist: line `)
  expect((await emailsOn(service)).length).toBeLessThanOrEqual(doubt)
})
