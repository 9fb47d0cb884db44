import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { type Env, envWithoutSecrets } from '../../core/streams.ts'
import { safeText } from '../../output/safe-text.ts'
import { startCommand } from '../../webhooks/command.ts'
import type { Parts } from './parts.ts'

export type ShellCommand = { readonly title: string; readonly command: string; readonly input: string }

export interface ShellEnd {
  readonly isSuccess: boolean
  /** `exit 1`, or the signal. */
  readonly how: string
  /** Its output, safe for a terminal. */
  readonly lines: readonly string[]
}

const MOST_LINES = 5_000
const MOST_LINE_CHARS = 4_000
const INTERRUPT_LAG_MS = 100
/** After a failure its message would be covered by the screens at once. */
const ON_TERMINAL = `(eval "$1"); code=$?
[ "$code" -eq 0 ] || { printf '\\nexit %s. Enter returns to crm browse ' "$code"; read _; } </dev/tty >/dev/tty
exit "$code"`

/** Shell commands of the user, one at a time. They get no key, and the profile of the screens. */
export function createShellCommands({ store, env }: Parts) {
  let running: { stop(): Promise<void> } | undefined
  const show = (shellTitle: string | undefined) => store.update((state) => ({ ...state, shellTitle }))

  function environment(): Env {
    const { profile } = store.get().place
    return { ...envWithoutSecrets(env), ...(profile !== undefined && { CRM_PROFILE: profile }) }
  }

  return {
    run: async ({ title, command, input }: ShellCommand): Promise<ShellEnd> => {
      const lines: string[] = []
      // Colours are left out: a sequence that is not complete would colour the rest.
      const say = (line: string) => {
        if (lines.length < MOST_LINES)
          lines.push(safeText(stripVTControlCharacters(line.slice(0, MOST_LINE_CHARS)).replaceAll('\t', '    ')))
      }
      const started = startCommand({ words: ['sh', '-c', command], env: environment(), input, say })
      running = started
      show(title)
      try {
        const { exit, how } = await started.ended
        if (lines.length === MOST_LINES) lines.push(`only the first ${MOST_LINES} lines are shown`)
        return { isSuccess: exit === 0, how, lines }
      } finally {
        running = undefined
        show(undefined)
      }
    },
    /** As run, with the terminal as its output; call it in `suspend`. */
    runOnTerminal: async ({ command, input }: ShellCommand): Promise<Omit<ShellEnd, 'lines'>> => {
      // In the process group of crm, which Ctrl-C of this terminal reaches.
      const child = spawn('sh', ['-c', ON_TERMINAL, 'sh', command], {
        env: environment(),
        stdio: ['pipe', 'inherit', 'inherit'],
      })
      // A command may ignore its stdin: EPIPE is not an error.
      child.stdin.on('error', () => {})
      child.stdin.end(input)
      const [exit, signal] = await once(child, 'close')
      // The SIGINT that ended the command may arrive here a moment later, and must not end crm.
      if (signal === 'SIGINT') await sleep(INTERRUPT_LAG_MS)
      return { isSuccess: exit === 0, how: signal ?? `exit ${exit}` }
    },
    /** Ends the running command; false when there is none. */
    stop: () => {
      void running?.stop()
      return running !== undefined
    },
    close: async () => running?.stop(),
  }
}
