import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { CrmError } from '../core/errors.ts'
import { shellWords } from '../core/shell-words.ts'
import { type Env, envWithoutSecrets } from '../core/streams.ts'
import { errorCode } from '../files/machine-error.ts'
import { programStart } from '../files/programs.ts'

/** Long enough to find and touch a security key. */
const TIMEOUT_MS = 30_000
const MAX_SHOWN = 300

/**
 * The first line that the `key_command` of a profile prints; it runs without a shell. CrmError `no_key` when it cannot be run,
 * fails or exceeds `timeoutMs`. No error contains its stdout.
 */
export async function runKeyCommand(
  command: string,
  profileName: string,
  env: Env,
  timeoutMs: number = TIMEOUT_MS,
): Promise<string> {
  const words = shellWords(command, 'key_command')
  const { file, args, ...how } = programStart(words, env)
  const fail = (what: string, cause?: unknown) =>
    new CrmError('no_key', `the key_command of profile ${profileName}, ${words[0]}, ${what}`, {
      cause,
      hint: `run it by hand; to see it: crm config get key_command -p ${profileName}`,
    })
  // CRM_API_KEY is removed, as it may belong to another server. It can open the terminal itself.
  const child = spawn(file, args, { ...how, env: envWithoutSecrets(env), stdio: ['ignore', 'pipe', 'pipe'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
    // Its child processes may still hold the pipes.
    child.stdout.destroy()
    child.stderr.destroy()
  }, timeoutMs)
  const stdout = gather(child.stdout)
  const stderr = gather(child.stderr)
  const [exit, signal] = await once(child, 'close')
    .catch((cause: Error) => {
      const reason = errorCode(cause) === 'ENOENT' ? 'no such program' : cause.message
      throw fail(`cannot be run: ${reason}`, cause)
    })
    .finally(() => clearTimeout(timer))
  if (isLate) throw fail(`took longer than ${timeoutMs / 1000} s`)
  if (exit !== 0) throw fail(`ended with ${signal ?? `exit ${exit}`}${quoted(stderr.text)}`)
  const [line = ''] = stdout.text.split(/\r?\n/, 1)
  if (line === '') throw fail('printed no key')
  return line
}

function gather(stream: Readable): { readonly text: string } {
  const gathered = { text: '' }
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    gathered.text += chunk
  })
  return gathered
}

function quoted(stderr: string): string {
  const shown = stderr.trim().replaceAll(/\s+/g, ' ')
  return shown === '' ? '' : `: ${shown.slice(0, MAX_SHOWN)}`
}
