import { run } from '../../src/program.ts'
import type { Env, Run } from '../e2e/crm.ts'

/** A command line in this process, without a terminal; `env` has all of the environment there is. */
export async function runCrm(argv: readonly string[], env: Env, input = ''): Promise<Run> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
      return true
    },
  })
  async function* stdin() {
    if (input !== '') yield input
  }
  const exit = await run(argv, {
    io: { stdin: stdin(), stdout: stream('stdout'), stderr: stream('stderr') },
    env,
    now: Date.now,
    signal: new AbortController().signal,
    version: '0.0.0',
    argv,
  })
  return { exit, ...written }
}
