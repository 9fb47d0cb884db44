import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** What compiled code depends on, as `process` names it. */
export interface Runtime {
  readonly version: string
  readonly platform: string
  readonly arch: string
}

interface Chunk {
  exports: unknown
}

const HEAD = '(function(exports,require,module,__filename,__dirname){'

/** Where the build keeps what V8 made of the chunks. V8 checks its own version and its flags, but not the processor. */
export function compiledFolder(folder: string, { version, platform, arch }: Runtime): string {
  return join(folder, `compiled-${version}-${platform}-${arch}`)
}

/**
 * Loads the bundle in `folder` file by file, with the code that V8 made of it during the build, where this is the same
 * runtime: compiling takes a third of the start-up time. Nothing is written; without that code V8 compiles as usual.
 */
export function createChunkLoader(
  folder: string,
  runtime: Runtime,
  onCompiled: (name: string, script: Script) => void = () => {},
): (name: string) => unknown {
  const loaded = new Map<string, Chunk>()
  const compiled = compiledFolder(folder, runtime)
  const known = new Set(existsSync(compiled) ? readdirSync(compiled) : [])
  const requireBuiltin = createRequire(join(folder, 'main.js'))

  function load(file: string): unknown {
    const before = loaded.get(file)
    if (before) return before.exports
    const chunk: Chunk = { exports: {} }
    loaded.set(file, chunk)
    const name = basename(file)
    const script = new Script(`${HEAD}${readFileSync(file, 'utf8')}\n})`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(known.has(name) && { cachedData: readFileSync(join(compiled, name)) }),
    })
    onCompiled(name, script)
    const resolve = (id: string) => (id.startsWith('./') ? load(join(dirname(file), id)) : requireBuiltin(id))
    script.runInThisContext()(chunk.exports, resolve, chunk, file, dirname(file))
    return chunk.exports
  }

  return (name) => load(join(folder, name))
}
