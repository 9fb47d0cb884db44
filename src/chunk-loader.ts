import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { Script } from 'node:vm'
import { type Bundle, compiledFolder, type Runtime, type Watch } from './loader/bundle.ts'
import { type CachingRuntime, openCodeCache } from './loader/code-cache.ts'

/** A digest of the built files, which the build puts in here. */
declare const CRM_BUILD: string

interface Chunk {
  exports: unknown
}

const HEAD = '(function(exports,require,module,__filename,__dirname){'

export function bundleIn(folder: string, runtime: Runtime): Bundle {
  const compiled = compiledFolder(folder, runtime)
  const known = new Set(existsSync(compiled) ? readdirSync(compiled) : [])
  return {
    folder,
    isCompiled: known.size > 0,
    hasText: (name) => existsSync(join(folder, `texts/${name}.txt`)),
    readText: (name) => readFileSync(join(folder, name), 'utf8'),
    readCompiled: (name) => (known.has(basename(name)) ? readFileSync(join(compiled, basename(name))) : undefined),
  }
}

/** Runs the command line of `runtime`, which is `process`. */
export function startProgram(bundle: Bundle, runtime: CachingRuntime): void {
  const cache = bundle.isCompiled ? undefined : openCodeCache({ bundle, build: CRM_BUILD }, runtime)
  createChunkLoader(cache?.bundle ?? bundle, cache?.watch)('main.js')
}

/**
 * Loads the bundle file by file, with the code that V8 made of it earlier, where that was the same runtime; without that code V8
 * compiles as usual.
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
