import startJq from 'jq-wasm/dist/build/jq.js'
import { interruptible } from './interruptible.ts'

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
  /** The same on an instance that has run nothing before. */
  runAfresh(args: readonly string[], input: string): Promise<JqRun>
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
  const run: Jq['run'] = async (args, input) => {
    const jq = idle ?? (await startInstance(code, stackExport))
    idle = undefined
    const ended = runOn(jq, args, input)
    // A failed run can leave the instance in any state.
    if (ended.exit === 0) idle = jq
    return ended
  }
  return {
    run,
    runAfresh: (args, input) => {
      idle = undefined
      return run(args, input)
    },
  }
}

/** One instance, which runs without a wait: undefined after a run that failed. */
export async function loadWaitlessJq(): Promise<(args: readonly string[], input: string) => JqRun | undefined> {
  compiling ??= compileJq()
  const { code, stackExport } = await compiling
  let jq: Started | undefined = await startInstance(code, stackExport)
  return (args, input) => {
    const ended = jq && runOn(jq, args, input)
    if (ended?.exit !== 0) jq = undefined
    return ended
  }
}

function runOn(jq: Started, args: readonly string[], input: string): JqRun {
  const stackEnd = jq.takeStack(0)
  jq.streams.begin(withSeenEnd(input))
  try {
    interruptible(() => jq.callMain([...args]))
  } catch (error) {
    // Out of memory or of stack: the run has no exit code.
    if (!(error instanceof WebAssembly.RuntimeError)) throw error
  }
  const ended = jq.streams.end()
  // main exits instead of returning, so its stack is not released.
  if (ended.exit === 0) jq.takeStack(jq.takeStack(0) - stackEnd)
  return ended
}

/** jq reads a line in parts of this size. */
const PART_BYTES = 4095
const NEWLINE = 10

/**
 * The input, so that the end of its last value is the end of what jq reads: else jq has a whole value before it meets the end,
 * exits, and meets that end at the start of the instance's next run, which then has no input. No white space may follow the
 * value, and its last line may not consist of whole parts: a space before that line moves it.
 */
function withSeenEnd(json: string): Buffer {
  const input = Buffer.from(json.replace(/[ \t\r\n]+$/, ''))
  const lineAt = input.lastIndexOf(NEWLINE) + 1
  if (input.length === lineAt || (input.length - lineAt) % PART_BYTES > 0) return input
  return Buffer.concat([input.subarray(0, lineAt), Buffer.from(' '), input.subarray(lineAt)])
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

/** The standard streams of the compiled jq, which replace those of the package: see docs/decisions/0008. */
interface JqStreams {
  /** Replaces the imports whose functions have these names; the package's build renames the imports themselves. */
  readonly stand: Readonly<Record<string, (...args: number[]) => number>>
  connect(memory: WebAssembly.Memory): void
  /** Called before a run, with its input. */
  begin(input: Uint8Array): void
  /** The output of the run; without an exit code when jq did not get that far. */
  end(): { readonly exit: number | undefined; readonly stdout: string; readonly stderr: string }
}

/** Emscripten's signal for a normal exit: any other thrown value would set the exit code of the process. */
const UNWIND = 'unwind'

interface Run {
  readonly input: Uint8Array
  position: number
  readonly stdout: Uint8Array[]
  readonly stderr: Uint8Array[]
  exit: number | undefined
}

export function createJqStreams(): JqStreams {
  let memory: WebAssembly.Memory | undefined
  let run = emptyRun(new Uint8Array())

  /** Walks the vectors of readv and writev (WASI preview 1): pairs of address and length; the sum goes to `total`. */
  const transfer = (vectors: number, count: number, total: number, move: (bytes: Uint8Array) => number): number => {
    const { buffer } = memory as WebAssembly.Memory
    const view = new DataView(buffer)
    let sum = 0
    for (let at = vectors; at < vectors + 8 * count; at += 8) {
      sum += move(new Uint8Array(buffer, view.getUint32(at, true), view.getUint32(at + 4, true)))
    }
    view.setUint32(total, sum, true)
    return 0
  }

  return {
    stand: {
      _fd_read: (_fd = 0, vectors = 0, count = 0, total = 0) =>
        transfer(vectors, count, total, (bytes) => {
          const chunk = run.input.subarray(run.position, run.position + bytes.length)
          bytes.set(chunk)
          run.position += chunk.length
          return chunk.length
        }),
      _fd_write: (fd = 0, vectors = 0, count = 0, total = 0) =>
        transfer(vectors, count, total, (bytes) => {
          // Copied, because jq reuses the memory for its next write.
          run[fd === 1 ? 'stdout' : 'stderr'].push(bytes.slice())
          return bytes.length
        }),
      // No variables; the package would make up a user and a home folder.
      _environ_sizes_get: (count = 0, sizeBytes = 0) => {
        const view = new DataView((memory as WebAssembly.Memory).buffer)
        view.setUint32(count, 0, true)
        view.setUint32(sizeBytes, 0, true)
        return 0
      },
      _environ_get: () => 0,
      exitJS: (status = 0) => {
        run.exit = status
        throw UNWIND
      },
      __abort_js: () => {
        throw UNWIND
      },
    },
    connect: (connected) => {
      memory = connected
    },
    begin: (input) => {
      run = emptyRun(input)
    },
    end: () => ({
      exit: run.exit,
      stdout: Buffer.concat(run.stdout).toString(),
      stderr: Buffer.concat(run.stderr).toString().trim(),
    }),
  }
}

function emptyRun(input: Uint8Array): Run {
  return { input, position: 0, stdout: [], stderr: [], exit: undefined }
}
