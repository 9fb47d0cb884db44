import { type Context, createContext, Script } from 'node:vm'
import { type Jq as Instance, loadJq as startInstance } from 'jq-wasm/inline'
import { CrmError } from '../core/errors.ts'

let call: { readonly script: Script; readonly context: Context } | undefined

export interface JqRun {
  /** 0; 3 for a program that does not compile, 5 for one that fails; undefined when jq ran out of memory. */
  readonly exit: number | undefined
  /** Without the end of the last line. */
  readonly stdout: string
  /** Errors, and the output of `debug`. */
  readonly stderr: string
}

export interface Jq {
  /** Runs a program to its end, with the flags that stand before it; `input` is JSON, one value or several. */
  run(args: readonly string[], input: string): Promise<JqRun>
}

/** jq 1.8.2. A run takes 1.5 ms, and 20 more after one that ran out of memory. */
export async function loadJq(): Promise<Jq> {
  let idle: Instance | undefined = await startInstance()
  return {
    run: async (args, input) => {
      const jq = idle ?? (await startInstance())
      idle = undefined
      const ended = runOn(jq, args, input)
      if (ended.exit !== undefined) idle = jq
      return ended
    },
  }
}

const OUT_OF_MEMORY: JqRun = { exit: undefined, stdout: '', stderr: '' }

/** What jq says of 10,000 levels, which its stack does not hold. */
const TOO_DEEP: JqRun = { exit: 5, stdout: '', stderr: 'jq: parse error: Exceeds depth limit for parsing' }

function runOn(jq: Instance, args: readonly string[], input: string): JqRun {
  if (isTooDeep(input)) return TOO_DEEP
  let ended = OUT_OF_MEMORY
  const { error } = console
  // The package reports an abort there, before it throws.
  console.error = () => {}
  try {
    interruptible(() => {
      const { exitCode: exit, stdout, stderr } = jq.raw(input, args.at(-1) ?? '', args.slice(0, -1))
      ended = { exit, stdout, stderr }
    })
  } catch (error) {
    if ((error as Error).name !== 'RuntimeError') throw error
  } finally {
    console.error = error
  }
  return ended
}

/** Lists and objects in each other. */
export const MOST_LEVELS = 256

function isTooDeep(json: string): boolean {
  let levels = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = endOfText(json, at)
    else if (char === '[' || char === '{') levels++
    else if (char === ']' || char === '}') levels--
    if (levels > MOST_LEVELS) return true
  }
  return false
}

function endOfText(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/**
 * Runs `work`, which Ctrl-C ends with CrmError `interrupted` even if it never returns to the event loop: only `node:vm` has a thread
 * for that. The listeners of the process have the signal again afterwards. Costs 0.1 ms.
 */
function interruptible(work: () => void): void {
  call ??= { script: new Script('work()'), context: createContext({}) }
  call.context.work = work
  try {
    call.script.runInContext(call.context, { breakOnSigint: true })
  } catch (error) {
    if ((error as Partial<NodeJS.ErrnoException> | null)?.code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw error
    throw new CrmError('interrupted', 'interrupted by SIGINT while an expression ran', {
      hint: 'it takes long, or never ends, as one that calls itself without an end: def f: f; f',
    })
  }
}
