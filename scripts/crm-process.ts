import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CRM = fileURLToPath(new URL('../bin/crm.js', import.meta.url))

/** The environment without variables that change the target of crm, and with those of the caller. */
export function crmEnv(added: Record<string, string>): NodeJS.ProcessEnv {
  const { CRM_API_KEY, CRM_BASE_URL, CRM_PROFILE, ...env } = process.env
  return { ...env, ...added }
}

interface CrmOptions {
  readonly env: NodeJS.ProcessEnv
  readonly input?: string
  readonly cwd?: string
}

/** Runs one command of the built crm to its end. */
export async function crm(args: readonly string[], { env, input = '', cwd }: CrmOptions) {
  const child = spawn(process.execPath, [CRM, ...args], { env, cwd, stdio: 'pipe' })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.end(input)
  const [exit] = await once(child, 'close')
  return { exit: Number(exit), stdout, stderr }
}

export async function crmOrThrow(args: readonly string[], options: CrmOptions): Promise<string> {
  const { exit, stdout, stderr } = await crm(args, options)
  if (exit !== 0) throw new Error(`crm ${args.join(' ')} exited with ${exit}\n${stderr}`)
  return stdout
}

/** Starts `crm serve`, and resolves when it is ready; undefined if it ended with an error, which it has printed. */
export async function startService(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; child: ChildProcess } | undefined> {
  const child = spawn(process.execPath, [CRM, 'serve', ...args, '--ready-json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const ready = once(createInterface(child.stdout), 'line')
  const line = await Promise.race([ready.then(([text]) => String(text)), ended.then(() => undefined)])
  if (line !== undefined) return { url: (JSON.parse(line) as { url: string }).url, child }
  process.exitCode = child.exitCode ?? 1
  return undefined
}
