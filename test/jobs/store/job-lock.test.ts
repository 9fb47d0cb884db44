import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isJobLocked, withJobLock } from '../../../src/jobs/store/job-lock.ts'
import { makeJob } from '../job-fixture.ts'

const LOCK = fileURLToPath(new URL('../../../src/jobs/store/job-lock.ts', import.meta.url))

/** Another process that has the lock until it is killed. */
async function hold(paths: object) {
  const script = `import { withJobLock } from ${JSON.stringify(LOCK)}
    await withJobLock(${JSON.stringify(paths)}, () => { console.log('held'); return new Promise((resolve) => setTimeout(resolve, 60_000)) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

test('one process has the lock of a job, and kill -9 frees it', async () => {
  const paths = await makeJob([{ name: 'Ada' }])
  expect(isJobLocked(paths)).toBe(false)
  const child = await hold(paths)
  expect(isJobLocked(paths)).toBe(true)
  await expect(withJobLock(paths, async () => 1)).rejects.toMatchObject({
    code: 'conflict',
    message: `${paths.id} is held by another process`,
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isJobLocked(paths)).toBe(false)
  expect(await withJobLock(paths, async () => isJobLocked(paths))).toBe(true)
  expect(isJobLocked(paths)).toBe(false)
})

test('within a process, too, one has it', async () => {
  const paths = await makeJob([{ name: 'Ada' }])
  await withJobLock(paths, () => expect(withJobLock(paths, async () => 1)).rejects.toMatchObject({ code: 'conflict' }))
})
