import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { Script } from 'node:vm'
import { type Bundle, compiledFolder, JOINED, joinedFor, type Runtime, type Watch } from './loader/bundle.ts'
import { type CachingRuntime, openCodeCache } from './loader/code-cache.ts'

/** A digest of the built files, which the build puts in here. */
declare const CRM_BUILD: string

interface Chunk {
  exports: unknown
}

/** What the build makes of a module. */
type Body = (
  ...given: [exports: unknown, require: (id: string) => unknown, chunk: Chunk, path: string, folder: string]
) => void

export function bundleIn(folder: string, runtime: Runtime): Bundle {
  const compiled = compiledFolder(folder, runtime)
  const known = new Set(existsSync(compiled) ? readdirSync(compiled) : [])
  return {
    folder,
    isCompiled: known.size > 0,
    hasText: (name) => existsSync(join(folder, `texts/${name}.txt`)),
    readCode: (name) => readFileSync(join(folder, name), 'latin1'),
    readCompiled: (name) => (known.has(basename(name)) ? readFileSync(join(compiled, basename(name))) : undefined),
  }
}

/** Runs the command line of `runtime`, which is `process`. */
export function startProgram(bundle: Bundle, runtime: CachingRuntime): void {
  const cache = bundle.isCompiled ? undefined : openCodeCache({ bundle, build: CRM_BUILD }, runtime)
  createChunkLoader(cache?.bundle ?? bundle, cache?.watch, joinedFor(runtime.argv))('main.js')
}

/**
 * Loads the bundle file by file, with the code that V8 made of it earlier, where that was the same runtime; without that code V8
 * compiles as usual.
 */
export function createChunkLoader(
  { folder, readCode, readCompiled }: Bundle,
  { onCompiled, pathOf = (name) => join(folder, name) }: Watch = {},
  first: string = JOINED.program,
): (name: string) => unknown {
  const loaded = new Map<string, Chunk>()
  const requireBuiltin = createRequire(join(folder, 'main.js'))
  let joined: Record<string, Body | string> | undefined

  function load(name: string): unknown {
    const before = loaded.get(name)
    if (before) return before.exports
    const chunk: Chunk = { exports: {} }
    loaded.set(name, chunk)
    const inner = name.slice(0, name.lastIndexOf('/') + 1)
    const resolve = (id: string) => (id.startsWith('./') ? load(`${inner}${id.slice(2)}`) : requireBuiltin(id))
    bodyOf(name)(chunk.exports, resolve, chunk, join(folder, name), join(folder, inner))
    return chunk.exports
  }

  function bodyOf(name: string): Body {
    if (name === 'main.js') return evaluate(name) as Body
    joined ??= evaluate(first) as Record<string, Body | string>
    const found = joined[name]
    if (typeof found !== 'string') return found ?? (evaluate(name) as Body)
    Object.assign(joined, evaluate(found))
    return bodyOf(name)
  }

  function evaluate(name: string): unknown {
    const cachedData = readCompiled(name)
    const script = new Script(readCode(name), {
      filename: pathOf(name),
      ...(cachedData !== undefined && { cachedData }),
    })
    onCompiled?.(name, script)
    return script.runInThisContext()
  }

  return load
}
