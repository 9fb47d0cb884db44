/** The standard streams of the compiled jq, which replace those of the package: see docs/decisions/0008. */
export interface JqStreams {
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
