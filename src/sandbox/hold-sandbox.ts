import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { withLock } from '../files/lock.ts'
import { ensurePrivateFolder } from '../files/private-file.ts'
import { isRunning, thisProcess } from '../files/processes.ts'
import { openSandbox, type SandboxTerms } from './open-sandbox.ts'
import { openServiceLog } from './run-in-sandbox.ts'
import {
  isAlive,
  readSandboxFile,
  removeSandboxFile,
  SANDBOX_HOME,
  type StartedSandbox,
  sandboxFile,
  sandboxHome,
  writeSandboxFile,
} from './sandbox-file.ts'
import { ownerOfFolder } from './sandbox-folder.ts'

export interface HeldSandbox {
  readonly name: string
  readonly ttlMs: number
  readonly terms: Omit<SandboxTerms, 'log' | 'seedEnv' | 'signal'>
  readonly env: Env
  readonly signal: AbortSignal
  /** A file with a line of JSON for each request, which is kept. */
  readonly log: string | undefined
  readonly onReady: (sandbox: StartedSandbox) => void
}

/** Runs a sandbox in this process until its time is over or the signal aborts. CrmError `machine` if one of this name runs. */
export async function holdSandbox({
  name,
  ttlMs,
  terms,
  env,
  signal,
  log: logFile,
  onReady,
}: HeldSandbox): Promise<void> {
  const file = sandboxFile(env, name)
  await ensurePrivateFolder(sandboxHome(env))
  // Two that start at once: the second one finds the first, or waits for it.
  const started = await withLock(`${file}.lock`, async () => {
    await refuseRunning(file)
    const log = logFile === undefined ? undefined : openServiceLog(logFile, '--log')
    const sandbox = await openSandbox({ ...terms, seedEnv: env, signal, log: log?.write })
    const shown: StartedSandbox = {
      ...{ name, baseUrl: sandbox.baseUrl, process: thisProcess(), endsAtMs: Date.now() + ttlMs },
      env: { ...sandbox.env, [SANDBOX_HOME]: sandboxHome(env) },
    }
    const close = async (): Promise<void> => {
      await removeSandboxFile(file, shown)
      await sandbox.close()
      log?.close(true)
    }
    try {
      await writeSandboxFile(file, shown)
    } catch (error) {
      await close()
      throw error
    }
    return { shown, close }
  })
  try {
    onReady(started.shown)
    await lifetime(env, ttlMs, signal)
  } finally {
    await started.close()
  }
}

const LOOK_MS = 500

/** Until its time is over, the signal aborts, or the sandbox whose command started it was killed. */
async function lifetime(env: Env, ttlMs: number, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + ttlMs
  const outer = ownerOfFolder(dirname(sandboxHome(env)))
  for (
    let leftMs = ttlMs;
    leftMs > 0 && (outer === undefined || isRunning(outer));
    leftMs = endMs - performance.now()
  ) {
    await sleep(outer === undefined ? leftMs : Math.min(leftMs, LOOK_MS), undefined, { signal }).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error
      },
    )
    if (signal.aborted) return
  }
}

async function refuseRunning(file: string): Promise<void> {
  const other = await readSandboxFile(file)
  if (!other || !isAlive(other)) return
  throw new CrmError(
    'machine',
    `the sandbox ${other.name} runs already, at ${other.baseUrl} until ${new Date(other.endsAtMs).toISOString()}`,
    {
      hint: `use it: eval "$(crm sandbox env --name ${other.name})"; end it: crm sandbox stop --name ${other.name}; or another --name`,
    },
  )
}
