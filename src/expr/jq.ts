import startJq from 'jq-wasm/dist/build/jq.js'
import { createJqStreams, type JqStreams } from './jq-streams.ts'

export interface JqRun {
  /** 0; 3 for a program that does not compile, 5 for one that fails; undefined when jq ran out of memory. */
  readonly exit: number | undefined
  readonly stdout: string
  /** Errors, and what the program says with `debug`. */
  readonly stderr: string
}

export interface Jq {
  /** Runs a program to its end; `input` is JSON, one value or several. */
  run(args: readonly string[], input: string): Promise<JqRun>
}

type Imports = Record<string, Record<string, unknown>>

/** A run does not give back the stack it took. Of the 5 MB, and of some 1,500 short runs until they are used up, this is a tenth. */
const STACK_BUDGET = 500_000
/** What a run is taken to cost beside its arguments; it was seen to be a third of that. */
const RUN_COST = 10_000

interface Started {
  readonly streams: JqStreams
  callMain(args: string[]): void
  spent: number
}

/** jq 1.7.1. A run takes 1 ms, and 2 more when it needs another instance. */
export async function loadJq(): Promise<Jq> {
  const code = await WebAssembly.compile(wasmOf(String(startJq)))
  let idle: Started | undefined
  return {
    async run(args, input) {
      const jq = idle ?? (await startInstance(code))
      idle = undefined
      jq.streams.begin(Buffer.from(input))
      try {
        jq.callMain([...args])
      } catch (error) {
        // Out of memory, or of stack: the run says so by having no exit.
        if (!(error instanceof WebAssembly.RuntimeError)) throw error
      }
      const ended = jq.streams.end()
      jq.spent += RUN_COST + args.join(' ').length
      // What failed may have left anything behind.
      if (ended.exit === 0 && jq.spent < STACK_BUDGET) idle = jq
      return ended
    },
  }
}

async function startInstance(code: WebAssembly.Module): Promise<Started> {
  const streams = createJqStreams()
  const jq = await startJq({
    instantiateWasm: (imports: Imports, receive: (instance: WebAssembly.Instance) => void) => {
      const instance = new WebAssembly.Instance(code, withStreams(imports, streams))
      streams.connect(memoryOf(instance))
      receive(instance)
      return instance.exports
    },
  })
  return { streams, callMain: (args) => jq.callMain(args), spent: 0 }
}

/** The package keeps its binary inside a function, so that nobody but itself can instantiate it. */
function wasmOf(source: string): Uint8Array<ArrayBuffer> {
  const base64 = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/.exec(source)?.[1]
  if (base64 === undefined) throw new Error('jq-wasm holds no WebAssembly where it was expected')
  return Uint8Array.from(Buffer.from(base64, 'base64'))
}

function withStreams(imports: Imports, { stand }: JqStreams): Imports {
  const replaced = new Set<string>()
  const modules = Object.entries(imports).map(([name, functions]) => {
    const entries = Object.entries(functions).map(([key, value]) => {
      const own = typeof value === 'function' ? stand[value.name] : undefined
      if (own && typeof value === 'function') replaced.add(value.name)
      return [key, own ?? value] as const
    })
    return [name, Object.fromEntries(entries)] as const
  })
  const missing = Object.keys(stand).filter((name) => !replaced.has(name))
  if (missing.length > 0) throw new Error(`jq-wasm imports no ${missing.join(', ')}`)
  return Object.fromEntries(modules)
}

function memoryOf({ exports }: WebAssembly.Instance): WebAssembly.Memory {
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory)
  if (!memory) throw new Error('jq-wasm exports no memory')
  return memory
}
