import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { CleanUp } from '../harness/home.ts'
import { type Serve, type Service, startServiceWith } from '../harness/service.ts'
import { CRM } from './crm.ts'

/** `crm serve` as a process of its own on a free port, once it is ready; rejects with its stderr when it ends instead. */
export const serve: Serve = async (args, env, cleanUp = onTestFinished) => {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(process.execPath, [CRM, 'serve', '--ready-json', ...port, ...args], { env, stdio: 'pipe' })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.end()
  const ended = once(child, 'close').then(([exit, signal]) => (exit ?? signal) as number | string)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  cleanUp(async () => {
    await stop('SIGKILL')
  })
  const { url, database } = JSON.parse(await readyLine(child, ended, () => stderr))
  return { url, database, said: () => stderr, stop }
}

/** A service with a key of its own, on a database in memory unless `args` say otherwise. */
export function startService(args: readonly string[] = [], cleanUp: CleanUp = onTestFinished): Promise<Service> {
  return startServiceWith(serve, args, cleanUp)
}

async function readyLine(child: ChildProcess, ended: Promise<number | string>, said: () => string): Promise<string> {
  if (!child.stdout) throw new Error('crm serve was started without a stdout')
  const ready = once(createInterface(child.stdout), 'line').then(([text]) => String(text))
  const failed = ended.then((exit): never => {
    throw new Error(`crm serve ended with ${exit}: ${said()}`)
  })
  return Promise.race([ready, failed])
}
