import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Env } from '../core/streams.ts'

export interface BackgroundStart {
  readonly program: readonly [file: string, ...args: string[]]
  /** The words after `crm`; no key is among them. */
  readonly argv: readonly string[]
  readonly env: Env
  readonly signal: AbortSignal
}

export type StartedProcess =
  /** What it wrote to stdout when it was ready. */
  | { readonly ready: string }
  /** It ended before. */
  | { readonly exit: number; readonly stderr: string }

/** Starts crm in a session of its own, which outlives this process and its terminal, and waits for its first line on stdout. */
export async function startInBackground({ program, argv, env, signal }: BackgroundStart): Promise<StartedProcess> {
  const [file, ...args] = program
  const child = spawn(file, [...args, ...argv], {
    env: { ...env },
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const interrupt = () => child.kill('SIGTERM')
  signal.addEventListener('abort', interrupt)
  const written = { stdout: '', stderr: '' }
  const { promise: line, resolve: onLine } = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text
    if (written.stdout.includes('\n')) onLine()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text
  })
  const closed = once(child, 'close').then(([code]) => (code ?? 1) as number)
  const exit = await Promise.race([closed, line])
  signal.removeEventListener('abort', interrupt)
  if (exit !== undefined) return { exit, stderr: written.stderr }
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
  return { ready: written.stdout }
}
