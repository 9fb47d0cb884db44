import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/program.ts'
import type { Env, Run } from './home.ts'
import { hurriedTiming } from './hurried-timing.ts'
import { checkJsonOutput } from './json-output.ts'

const KEYRING = fileURLToPath(new URL('../../bin/keyring.js', import.meta.url))

export interface Input {
  readonly stdin?: string | Uint8Array
  readonly folder?: string | undefined
  /** Called with each text that the command writes. */
  readonly onStdout?: (text: string) => void
  /** The system's, unless it says otherwise. */
  readonly timing?: ReturnType<typeof hurriedTiming>
}

export interface Running {
  readonly written: { stdout: string; stderr: string }
  /** Rejects where the command does, which is a bug. */
  readonly exit: Promise<number>
  /** Ends it as the signal ends a process. */
  interrupt(signal: NodeJS.Signals): void
}

/** A command line in this process, without a terminal; `env` is all the environment there is. */
export function startRun(
  argv: readonly string[],
  env: Env,
  { stdin = '', folder, onStdout, timing }: Input = {},
): Running {
  const interruption = new AbortController()
  const interrupt = (signal: NodeJS.Signals) => {
    interruption.abort(new Error(`interrupted by ${signal}`, { cause: signal }))
  }
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
      if (name === 'stdout') onStdout?.(text)
      return true
    },
  })
  const exit = run(argv, {
    io: { stdin: new PassThrough().end(stdin), stdout: stream('stdout'), stderr: stream('stderr') },
    env,
    now: timing?.now ?? Date.now,
    ...(timing && { timing }),
    signal: interruption.signal,
    version: '0.0.0',
    argv,
    folder: folder ?? process.cwd(),
    keyringProgram: KEYRING,
    interrupt: () => interrupt('SIGINT'),
  })
  return { written, exit, interrupt }
}

/** One to its end. JSON that its schema does not allow fails the test. */
export function crm(argv: readonly string[], env: Env, stdin = '', folder?: string): Promise<Run> {
  return runToEnd(argv, env, { stdin, folder })
}

/** The same, with long waits cut short: only for servers that have no clock, such as those that refuse for ever. */
export function crmHurried(argv: readonly string[], env: Env): Promise<Run> {
  return runToEnd(argv, env, { timing: hurriedTiming() })
}

async function runToEnd(argv: readonly string[], env: Env, input: Input): Promise<Run> {
  const { exit, written } = startRun(argv, env, input)
  const run = { exit: await exit, ...written }
  checkJsonOutput(argv, run)
  return run
}

/** One to its end, which be success; what it printed. */
export async function crmPrints(argv: readonly string[], env: Env, stdin = ''): Promise<string> {
  const { exit, stdout, stderr } = await crm(argv, env, stdin)
  if (exit !== 0) throw new Error(`crm ${argv.join(' ')} exited with ${exit}\n${stderr}`)
  return stdout
}
