import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { isJsonObject } from '../../core/json.ts'
import { type Env, envWithoutSecrets } from '../../core/streams.ts'
import { type KeyringTask, noKeyring } from './keyring-task.ts'

export interface KeyringProgram {
  readonly program: string
  readonly env: Env
  readonly timeoutMs: number
}

/**
 * Runs one keyring task in a process that is killed after the timeout. The binding cannot be interrupted otherwise, and a
 * thread blocked in it would delay the end of this process. CrmError `machine` for every failure.
 */
export async function askKeyring({ program, env, timeoutMs }: KeyringProgram, task: KeyringTask): Promise<unknown> {
  const child = spawn(process.execPath, [program], {
    // NODE_OPTIONS could start a debugger.
    env: { ...envWithoutSecrets(env), NODE_OPTIONS: '' },
    stdio: 'pipe',
    timeout: Math.max(1, Math.ceil(timeoutMs)),
    killSignal: 'SIGKILL',
    windowsHide: true,
  })
  // A second Ctrl-C ends this process at once; the child must not outlive it.
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  // A child that ended at once does not read its stdin.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(task))
  const [[exit, signal], answer, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
    .catch((cause: Error) => {
      throw noKeyring(cause.message, cause)
    })
    .finally(() => process.off('exit', end))
  if (signal === 'SIGKILL') throw noKeyring('it does not answer, or waits to be unlocked')
  if (exit !== 0) throw noKeyring(lastLine(stderr) || `its program ended with ${signal ?? exit}`)
  const parsed: unknown = JSON.parse(answer)
  if (!isJsonObject(parsed)) throw noKeyring('its program returned an unexpected answer')
  if (typeof parsed.trouble === 'string') throw noKeyring(parsed.trouble)
  return parsed.value
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
