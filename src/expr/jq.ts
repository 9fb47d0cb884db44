import startJq from 'jq-wasm/dist/build/jq.js'
import { createJqStreams, type JqStreams } from './jq-streams.ts'

export interface JqRun {
  /** 0; 3 for a program that does not compile, 5 for one that fails; undefined when jq ran out of memory. */
  readonly exit: number | undefined
  readonly stdout: string
  /** Errors, and the output of `debug`. */
  readonly stderr: string
}

export interface Jq {
  /** Runs a program to its end; `input` is JSON, one value or several. */
  run(args: readonly string[], input: string): Promise<JqRun>
}

type Imports = Record<string, Record<string, unknown>>

interface Started {
  readonly streams: JqStreams
  callMain(args: string[]): void
  /** Moves the end of the stack by this many bytes, and returns its address. */
  takeStack(sizeBytes: number): number
}

interface CompiledJq {
  readonly code: WebAssembly.Module
  readonly stackExport: string
}

/** Compiled once per process: that takes longer than most expressions, and V8 keeps the optimised code with the module. */
let compiling: Promise<CompiledJq> | undefined

async function compileJq(): Promise<CompiledJq> {
  const source = String(startJq)
  return { code: await WebAssembly.compile(wasmOf(source)), stackExport: stackExportOf(source) }
}

/** jq 1.7.1. A run takes 1 ms, and 2 more when it needs another instance. */
export async function loadJq(): Promise<Jq> {
  compiling ??= compileJq()
  const { code, stackExport } = await compiling
  let idle: Started | undefined
  return {
    async run(args, input) {
      const jq = idle ?? (await startInstance(code, stackExport))
      idle = undefined
      const stackEnd = jq.takeStack(0)
      jq.streams.begin(Buffer.from(input))
      try {
        jq.callMain([...args])
      } catch (error) {
        // Out of memory or of stack: the run has no exit code.
        if (!(error instanceof WebAssembly.RuntimeError)) throw error
      }
      const ended = jq.streams.end()
      // A failed run can leave the instance in any state.
      if (ended.exit !== 0) return ended
      // main exits instead of returning, so its stack is not released.
      jq.takeStack(jq.takeStack(0) - stackEnd)
      idle = jq
      return ended
    },
  }
}

async function startInstance(code: WebAssembly.Module, stackExport: string): Promise<Started> {
  const streams = createJqStreams()
  let takeStack: Started['takeStack'] | undefined
  const jq = await startJq({
    instantiateWasm: (imports: Imports, receive: (instance: WebAssembly.Instance) => void) => {
      const instance = new WebAssembly.Instance(code, withStreams(imports, streams))
      streams.connect(memoryOf(instance))
      takeStack = instance.exports[stackExport] as Started['takeStack']
      receive(instance)
      return instance.exports
    },
  })
  if (typeof takeStack !== 'function') throw new Error(`jq-wasm exports no ${stackExport}`)
  return { streams, callMain: (args) => jq.callMain(args), takeStack }
}

/** The package embeds its binary in a function, which only the package itself can call. */
function wasmOf(source: string): Uint8Array<ArrayBuffer> {
  const base64 = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/.exec(source)?.[1]
  if (base64 === undefined) throw new Error('jq-wasm holds no WebAssembly where it was expected')
  return Uint8Array.from(Buffer.from(base64, 'base64'))
}

/** Releases rename the exports; the package's own code shows the current name. */
function stackExportOf(source: string): string {
  const name = /__emscripten_stack_alloc\s*=\s*wasmExports(?:\.|\[")(\w+)/.exec(source)?.[1]
  if (name === undefined) throw new Error('jq-wasm names no export that moves the stack')
  return name
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
