import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { Script } from 'node:vm'

/** What compiled code depends on, as `process` names it. */
export interface Runtime {
  readonly version: string
  readonly platform: string
  readonly arch: string
}

/** The files of the build: of a folder, or inside a standalone program. Names are such as `chunks/client-X.js`. */
export interface Bundle {
  /** The folder that the files give as their own. */
  readonly folder: string
  readonly readText: (name: string) => string
  /** What V8 made of a file during the build, undefined if it was not compiled, or by another runtime. */
  readonly readCompiled: (name: string) => Uint8Array | undefined
}

/** What the build needs to know of the files that a command loads. */
export interface Watch {
  readonly onCompiled?: (name: string, script: Script) => void
  /** The path in messages of V8, and in compiled code. */
  readonly pathOf?: (name: string) => string
}

interface Chunk {
  exports: unknown
}

const HEAD = '(function(exports,require,module,__filename,__dirname){'

/** Where the build keeps what V8 made of the chunks. V8 checks its own version and its flags, but not the processor. */
export function compiledFolder(folder: string, { version, platform, arch }: Runtime): string {
  return join(folder, `compiled-${version}-${platform}-${arch}`)
}

export function bundleIn(folder: string, runtime: Runtime): Bundle {
  const compiled = compiledFolder(folder, runtime)
  const known = new Set(existsSync(compiled) ? readdirSync(compiled) : [])
  return {
    folder,
    readText: (name) => readFileSync(join(folder, name), 'utf8'),
    readCompiled: (name) => (known.has(basename(name)) ? readFileSync(join(compiled, basename(name))) : undefined),
  }
}

/**
 * Loads the bundle file by file, with the code that V8 made of it during the build, where this is the same runtime: compiling
 * takes a third of the start-up time. Nothing is written; without that code V8 compiles as usual.
 */
export function createChunkLoader(
  { folder, readText, readCompiled }: Bundle,
  { onCompiled, pathOf = (name) => join(folder, name) }: Watch = {},
): (name: string) => unknown {
  const loaded = new Map<string, Chunk>()
  const requireBuiltin = createRequire(join(folder, 'main.js'))

  function load(name: string): unknown {
    const before = loaded.get(name)
    if (before) return before.exports
    const chunk: Chunk = { exports: {} }
    loaded.set(name, chunk)
    const cachedData = readCompiled(name)
    const script = new Script(`${HEAD}${readText(name)}\n})`, {
      filename: pathOf(name),
      columnOffset: -HEAD.length,
      ...(cachedData !== undefined && { cachedData }),
    })
    onCompiled?.(name, script)
    const inner = name.slice(0, name.lastIndexOf('/') + 1)
    const resolve = (id: string) => (id.startsWith('./') ? load(`${inner}${id.slice(2)}`) : requireBuiltin(id))
    script.runInThisContext()(chunk.exports, resolve, chunk, join(folder, name), join(folder, inner))
    return chunk.exports
  }

  return load
}
