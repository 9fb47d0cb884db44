import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { sendSignal } from '../files/processes.ts'
import {
  isAlive,
  readSandboxFile,
  removeDead,
  runningSandboxes,
  type StartedSandbox,
  sandboxFile,
} from './sandbox-file.ts'

/** A sandbox closes within a second; then it is killed. */
const KILL_AFTER_MS = 5000

const POLL_MS = 20

/** The sandbox of this name, which runs. CrmError `not_found` for one that does not, with what became of it. */
export async function findSandbox(env: Env, name: string): Promise<StartedSandbox> {
  const file = sandboxFile(env, name)
  const found = await readSandboxFile(file)
  if (found && isAlive(found)) return found
  if (found) await removeDead(file, found)
  const message = found ? `the sandbox ${name} was killed, and its data is gone` : `there is no sandbox ${name}`
  throw new CrmError('not_found', message, {
    hint: `crm sandbox start${name === 'default' ? '' : ` --name ${name}`}; a sandbox ends itself after its --ttl`,
  })
}

/** Ends a sandbox. False when it had ended without being stopped: its process was killed. CrmError `not_found` for an unknown one. */
export async function stopSandbox(env: Env, name: string): Promise<boolean> {
  const file = sandboxFile(env, name)
  const found = await readSandboxFile(file)
  if (!found) return findSandbox(env, name).then(() => true)
  const wasAlive = isAlive(found)
  if (wasAlive) await end(found)
  await removeDead(file, found)
  return wasAlive
}

/** Ends all that are listed in a home. */
export async function endSandboxes(home: string): Promise<void> {
  for (const sandbox of await runningSandboxes(home)) await end(sandbox)
}

async function end(sandbox: StartedSandbox): Promise<void> {
  sendSignal(sandbox.process.pid, 'SIGTERM')
  const killMs = performance.now() + KILL_AFTER_MS
  while (isAlive(sandbox)) {
    if (performance.now() > killMs) sendSignal(sandbox.process.pid, 'SIGKILL')
    await sleep(POLL_MS)
  }
}
