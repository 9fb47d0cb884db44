import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Env } from '../../core/streams.ts'

/** What it says would be covered by the screens at once. */
const THEN_WAIT = `"$@"; code=$?; printf '\\nEnter returns to crm browse ' >/dev/tty; read _ </dev/tty; exit "$code"`

/** Runs a crm command on the terminal, waits for Enter, and returns the exit code. */
export async function runCrm(
  program: readonly string[] | undefined,
  words: readonly string[],
  { env, profile }: { readonly env: Env; readonly profile: string | undefined },
): Promise<number> {
  if (!program) throw new Error('crm is started by its launcher alone')
  const line = [...program, ...words, ...(profile === undefined ? [] : ['-p', profile])]
  const child = spawn('sh', ['-c', THEN_WAIT, 'sh', ...line], { env: { ...env }, stdio: 'inherit' })
  const [code] = await once(child, 'close')
  return code ?? 1
}
