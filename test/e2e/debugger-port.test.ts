import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { somePeople, writePeople } from '../harness/import-run.ts'
import { startCrm } from './crm.ts'
import { holdWrites } from './jobs/holding-proxy.ts'
import { newSecretFile } from './listening.ts'
import { startService } from './service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

/** Longer than Node takes to open the port. */
const OPENING_MS = 700

/** What the process says to the signal at which Node starts its inspector, which would say so on stderr. */
async function signalled(child: ReturnType<typeof startCrm>): Promise<string> {
  let said = ''
  child.stderr.on('data', (text) => (said += text))
  child.kill('SIGUSR1')
  await sleep(OPENING_MS)
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  await child.done
  return said
}

async function expectReady(child: ReturnType<typeof startCrm>): Promise<void> {
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

test.skipIf(process.platform === 'win32')('SIGUSR1 opens no port for debuggers in serve', async () => {
  const env: Env = { HOME: tempFolder(), PATH: process.env.PATH ?? '' }
  const port = await freePort()
  const child = startCrm(['serve', '--database', ':memory:', '--port', String(port), '--ready-json'], env)
  await expectReady(child)
  child.kill('SIGUSR1')
  await sleep(OPENING_MS)
  await new Promise<void>((resolve, reject) => {
    connect(port, '127.0.0.1', resolve).on('error', reject).unref()
  })
  expect(await signalled(child)).not.toContain('Debugger')
})

test.skipIf(process.platform === 'win32')('SIGUSR1 opens no port for debuggers in listen', async () => {
  const env: Env = { HOME: tempFolder(), PATH: process.env.PATH ?? '' }
  const child = startCrm(['listen', '-o', 'jsonl', '--port', '0', ...newSecretFile().args], env)
  await expectReady(child)
  expect(await signalled(child)).not.toContain('Debugger')
})

test.skipIf(process.platform === 'win32')('SIGUSR1 opens no port for debuggers in a job', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const proxy = await holdWrites(service.url)
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: join(folder, 'state') }
  const child = startCrm(['contacts', 'import', writePeople(folder, somePeople(5)), '--yes'], env)
  await proxy.firstWrite
  setTimeout(() => proxy.release(), OPENING_MS + 300)
  expect(await signalled(child)).not.toContain('Debugger')
})
