import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { isJsonObject } from '../../core/json.ts'
import type { Env } from '../../core/streams.ts'
import { type KeyringTask, noKeyring } from './keyring-task.ts'

export interface KeyringProgram {
  readonly program: string
  readonly env: Env
  readonly timeoutMs: number
}

/**
 * One question to the keyring, in a process that is killed when the time is over: nothing else interrupts the binding, and a
 * thread that waits in it would hold up the end of this process too. CrmError `machine` for every kind of no.
 */
export async function askKeyring({ program, env, timeoutMs }: KeyringProgram, task: KeyringTask): Promise<unknown> {
  const child = spawn(process.execPath, [program], {
    // What is meant for crm is not meant for it: a debugger would listen, and the key is none of its business.
    env: { ...env, NODE_OPTIONS: '', CRM_API_KEY: '' },
    stdio: 'pipe',
    timeout: Math.max(1, Math.ceil(timeoutMs)),
    killSignal: 'SIGKILL',
    windowsHide: true,
  })
  // A second Ctrl-C ends this process at once, and would leave the other one running.
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  // One that ended at once does not read.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(task))
  const [[exit, signal], answer, said] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
    .catch((cause: Error) => {
      throw noKeyring(cause.message, cause)
    })
    .finally(() => process.off('exit', end))
  if (signal === 'SIGKILL') throw noKeyring('it does not answer, or waits for somebody to unlock it')
  if (exit !== 0) throw noKeyring(lastLine(said) || `its program ended with ${signal ?? exit}`)
  const parsed: unknown = JSON.parse(answer)
  if (!isJsonObject(parsed)) throw noKeyring('its program answered with something else')
  if (typeof parsed.trouble === 'string') throw noKeyring(parsed.trouble)
  return parsed.value
}

function lastLine(said: string): string {
  return said.trim().split('\n').at(-1) ?? ''
}
