import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/program.ts'
import type { Env, Run } from './home.ts'
import { checkJsonOutput } from './json-output.ts'

const KEYRING = fileURLToPath(new URL('../../bin/keyring.js', import.meta.url))

export interface Input {
  readonly stdin?: string
  readonly folder?: string | undefined
  /** Called with each text that the command writes. */
  readonly onStdout?: (text: string) => void
}

export interface Running {
  readonly written: { stdout: string; stderr: string }
  /** Rejects where the command does, which is a bug. */
  readonly exit: Promise<number>
  /** Ends it as the signal ends a process. */
  interrupt(signal: NodeJS.Signals): void
}

/** A command line in this process, without a terminal; `env` is all the environment there is. */
export function startRun(argv: readonly string[], env: Env, { stdin = '', folder, onStdout }: Input = {}): Running {
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
    now: Date.now,
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
export async function crm(argv: readonly string[], env: Env, stdin = '', folder?: string): Promise<Run> {
  const { exit, written } = startRun(argv, env, { stdin, folder })
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
