import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Env, Run } from '../harness/home.ts'
import { checkJsonOutput } from '../harness/json-output.ts'

export const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))

/** The built crm as a child process, to its end, without a terminal. JSON that its schema does not allow fails the test. */
export async function crm(args: readonly string[], env: Env, input = '', folder?: string): Promise<Run> {
  const child = startCrm(args, env, folder)
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const run = { ...(await child.done), stdout }
  checkJsonOutput(args, run)
  return run
}

/** One that must succeed; what it printed. */
export async function crmPrints(args: readonly string[], env: Env, input = ''): Promise<string> {
  const { exit, stdout, stderr } = await crm(args, env, input)
  if (exit !== 0) throw new Error(`crm ${args.join(' ')} exited with ${exit}\n${stderr}`)
  return stdout
}

/** A process whose stdin and stdout are the test's to use, in a working folder of its own or the test's. */
export function startCrm(args: readonly string[], env: Env, folder?: string) {
  const options = { env, stdio: 'pipe', cwd: folder } as const
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [CRM, ...args], options)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const done = once(child, 'close').then(([exit, signal]) => ({ exit: (exit ?? signal) as number | string, stderr }))
  return Object.assign(child, { done })
}
