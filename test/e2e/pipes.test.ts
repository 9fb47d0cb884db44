import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { newDatabase } from '../harness/database.ts'
import { countRequests } from '../harness/request-counter.ts'
import { testWithService } from '../harness/shared-service.ts'
import { fillWithContacts } from './contact-store.ts'
import { CRM, startCrm } from './crm.ts'
import { startService } from './service.ts'

const COUNT = 100_000

const test = testWithService(async (cleanUp) => {
  const database = await newDatabase(cleanUp)
  await fillWithContacts(database, COUNT)
  return startService(['--database', database, '--rate-limit', 'none'], cleanUp)
})

test('contacts list | head -1 ends at once with exit 0, and the server saw few requests', async ({ service }) => {
  const { url, requests } = await countRequests(service.url)
  for (const format of ['jsonl', 'id', 'json']) {
    requests.length = 0
    const script = `"$1" "$2" contacts list -o ${format} | head -1; echo "\${PIPESTATUS[0]}" >&2`
    const bash = spawn('bash', ['-c', script, 'bash', process.execPath, CRM], {
      env: { ...service.env, CRM_BASE_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    bash.stdout.on('data', (text) => (stdout += text))
    bash.stderr.on('data', (text) => (stderr += text))
    await once(bash, 'close')
    expect({ format, stderr }).toEqual({ format, stderr: '0\n' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(requests.length).toBeLessThan(20)
  }
})

test('a list whose reader pauses stops asking for pages, and continues with its reader', async ({ service }) => {
  const { url, requests } = await countRequests(service.url)
  const child = startCrm(['contacts', 'list', '-o', 'jsonl', '--limit', '20000'], { ...service.env, CRM_BASE_URL: url })
  await once(child.stdout, 'readable')
  let seen = -1
  const isSettled = () => {
    const isSame = seen === requests.length
    seen = requests.length
    return isSame
  }
  await expect.poll(isSettled, { timeout: 10_000, interval: 300 }).toBe(true)
  expect(requests.length).toBeLessThan(50)
  let lines = 0
  child.stdout.on('data', (bytes: Buffer) => {
    for (const byte of bytes) if (byte === 10) lines++
  })
  expect(await child.done).toMatchObject({ exit: 0 })
  expect(lines).toBe(20_000)
})

test('Ctrl-C during a long list is 130, SIGTERM 143, with a line on stderr', async ({ service }) => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const child = startCrm(['contacts', 'list', '-o', 'jsonl'], service.env)
    child.stdout.once('data', () => child.kill(signal))
    const { exit, stderr } = await child.done
    expect(exit).toBe(code)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'interrupted', hint: expect.stringMatching(/^crm /) } })
  }
})

test('Ctrl-C ends a list whose reader has stopped reading', async ({ service }) => {
  const child = startCrm(['contacts', 'list', '-o', 'jsonl'], service.env)
  await once(child.stdout, 'readable')
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(5_000) })
  child.kill('SIGINT')
  expect(await exited).toEqual([130, null])
})
