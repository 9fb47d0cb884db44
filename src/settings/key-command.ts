import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { CrmError } from '../core/errors.ts'
import { shellWords } from '../core/shell-words.ts'
import type { Env } from '../core/streams.ts'
import { withoutKey } from '../core/without-key.ts'
import { errorCode } from '../files/error-code.ts'

/** Long enough to find and touch a security key. */
const TIMEOUT_MS = 30_000
const MAX_SHOWN = 300

/**
 * The first line that the `key_command` of a profile prints. No shell sees it. CrmError `no_key` when it cannot be run, fails or takes
 * longer than `timeoutMs`; what it printed to stdout is in no error.
 */
export async function runKeyCommand(
  command: string,
  profileName: string,
  env: Env,
  timeoutMs: number = TIMEOUT_MS,
): Promise<string> {
  const [file, ...args] = shellWords(command, 'key_command')
  const fail = (what: string, cause?: unknown) =>
    new CrmError('no_key', `the key_command of profile ${profileName}, ${file}, ${what}`, {
      cause,
      hint: `try it by hand, then see how it is set: crm config get key_command -p ${profileName}`,
    })
  // The key of another place is none of its business; a terminal it can open by itself.
  const child = spawn(file, args, { env: withoutKey(env), stdio: ['ignore', 'pipe', 'pipe'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
    // What it has started may live on, with its output in hand.
    child.stdout.destroy()
    child.stderr.destroy()
  }, timeoutMs)
  const printed = gather(child.stdout)
  const said = gather(child.stderr)
  const [exit, signal] = await once(child, 'close')
    .catch((cause: Error) => {
      const reason = errorCode(cause) === 'ENOENT' ? 'no such program' : cause.message
      throw fail(`cannot be run: ${reason}`, cause)
    })
    .finally(() => clearTimeout(timer))
  if (isLate) throw fail(`took longer than ${timeoutMs / 1000} s`)
  if (exit !== 0) throw fail(`ended with ${signal ?? `exit ${exit}`}${quoted(said.text)}`)
  const [line = ''] = printed.text.split(/\r?\n/, 1)
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

function quoted(said: string): string {
  const shown = said.trim().replaceAll(/\s+/g, ' ')
  return shown === '' ? '' : `: ${shown.slice(0, MAX_SHOWN)}`
}
