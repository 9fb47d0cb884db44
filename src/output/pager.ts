import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import { type Env, envWithoutSecrets, type OutputStream } from '../core/streams.ts'
import { findProgram } from '../files/programs.ts'
import { PagerClosed } from './print-records.ts'

export interface Pager {
  /** Replaces stdout, with the same width. The pager starts at the first write. */
  readonly stdout: OutputStream
  /** Ends the input of the pager, and waits until the reader closes it. */
  close(): Promise<void>
}

/** Run by the shell, as git does: the variable is a command line of the user, and never contains data. */
const SHELL_CANNOT_RUN = [126, 127]

/**
 * -F exits at once when all fits on the screen, -R keeps colours, -X leaves the text on the screen, as for git. -K lets
 * Ctrl-C end less, too, which would otherwise keep the terminal after crm has ended.
 */
const LESS = 'FRXK'

/** The encoding of the output in any locale: without it less shows bytes in the locale C, which is common in containers. */
const LESSCHARSET = 'utf-8'

/** The command line of the pager: CRM_PAGER, else PAGER, else less if installed; undefined for none. */
export function pagerCommand(env: Env): string | undefined {
  if (!env.TERM || env.TERM === 'dumb') return undefined
  const command = (env.CRM_PAGER ?? env.PAGER)?.trim()
  if (command === undefined) return findProgram('less', env) === undefined ? undefined : 'less'
  return command === '' || command === 'cat' ? undefined : command
}

export function openPager(command: string, env: Env, terminal: OutputStream): Pager {
  let started: ReturnType<typeof startPager> | undefined
  const stdout: OutputStream = {
    write(text) {
      started ??= startPager(command, env)
      if (!started.isOpen()) throw new PagerClosed('the pager was closed')
      return started.stdin.write(text)
    },
    once(event, listener) {
      // There is no `drain` after the reader has quit; the next write throws.
      started?.onceReady(event, listener)
    },
    isTTY: true,
    get columns() {
      return terminal.columns ?? 80
    },
  }
  return {
    stdout,
    async close() {
      if (!started) return
      started.stdin.end()
      const exit = await started.ended
      if (exit === undefined || !SHELL_CANNOT_RUN.includes(exit)) return
      throw new CrmError('machine', `cannot run the pager ${JSON.stringify(command)}`, {
        hint: 'set PAGER or CRM_PAGER to another one, or give --no-pager',
      })
    },
  }
}

/** The SIGINT that ended the pager reaches crm within this time. */
const SIGNAL_MS = 100

function startPager(command: string, env: Env) {
  const options = { shell: true, env: { LESS, LESSCHARSET, LV: '-c', ...envWithoutSecrets(env) } }
  const child = spawn(command, { ...options, stdio: ['pipe', 'inherit', 'inherit'] })
  let isOpen = true
  const left = () => {
    isOpen = false
  }
  // EPIPE: the reader has quit, or the pager never ran; `ended` shows which.
  child.stdin.on('error', left)
  const ended = once(child, 'close').then(async ([exit]) => {
    left()
    // Ctrl-C goes to both processes, and the exit of the pager may be noticed before the signal.
    if (exit !== 0) await delay(SIGNAL_MS)
    return (exit ?? undefined) as number | undefined
  })
  return {
    stdin: child.stdin,
    ended,
    isOpen: () => isOpen,
    onceReady(event: 'drain', listener: () => void): void {
      const ready = () => {
        child.stdin.off(event, ready)
        child.off('close', ready)
        listener()
      }
      child.stdin.once(event, ready)
      child.once('close', ready)
    },
  }
}
