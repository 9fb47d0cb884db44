import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { type Bundle, compiledFolder, JOINED, joinedFor, type Runtime, type Watch } from './loader/bundle.ts'
import type { CachingRuntime, openCodeCache } from './loader/code-cache.ts'

/** A digest of the built files, which the build puts in here. */
declare const CRM_BUILD: string

interface Chunk {
  exports: unknown
}

/** What the build makes of a module. */
type Body = (
  ...given: [exports: unknown, require: (id: string) => unknown, chunk: Chunk, path: string, folder: string]
) => void

/** What a joined file exports: its chunks, each evaluated when it is first asked for. */
interface Joined {
  readonly chunks: Readonly<Record<string, () => unknown>>
}

interface LoadingRuntime extends Runtime {
  readonly getBuiltinModule: NodeJS.Process['getBuiltinModule']
}

/** Paths are not put together by `node:path`, which takes V8 a millisecond to compile. */
export function bundleIn(folder: string, runtime: LoadingRuntime): Bundle {
  const compiled = compiledFolder(folder, runtime)
  const known = new Set(existsSync(compiled) ? readdirSync(compiled) : [])
  return {
    folder,
    isCompiled: known.size > 0,
    hasText: (name) => existsSync(`${folder}/texts/${name}.txt`),
    readCode: (name) => readFileSync(`${folder}/${name}`, 'latin1'),
    readCompiled: (name) => {
      const file = name.slice(name.lastIndexOf('/') + 1)
      return known.has(file) ? readFileSync(`${compiled}/${file}`) : undefined
    },
    loadModule: moduleLoader(folder, runtime),
  }
}

/** The loader of packages, which is slow to load itself, is not needed for Node's own modules. */
export function moduleLoader(folder: string, { getBuiltinModule }: LoadingRuntime): Bundle['loadModule'] {
  return (id) => getBuiltinModule(id) ?? getBuiltinModule('node:module').createRequire(`${folder}/main.js`)(id)
}

/** Runs the command line of `runtime`, which is `process`. `keeping` loads what a bundle without compiled code needs. */
export function startProgram(
  bundle: Bundle,
  runtime: CachingRuntime,
  keeping: () => { readonly openCodeCache: typeof openCodeCache },
): void {
  const cache = bundle.isCompiled ? undefined : keeping().openCodeCache({ bundle, build: CRM_BUILD }, runtime)
  createChunkLoader(cache?.bundle ?? bundle, cache?.watch, joinedFor(runtime.argv))('main.js')
}

/**
 * Loads the bundle file by file, with the code that V8 made of it earlier, where that was the same runtime; without that code V8
 * compiles as usual.
 */
export function createChunkLoader(
  { folder, readCode, readCompiled, loadModule }: Bundle,
  { onCompiled, pathOf = (name) => `${folder}/${name}` }: Watch = {},
  first: string = JOINED.requests,
): (name: string) => unknown {
  const loaded = new Map<string, Chunk>()
  let joined: Joined | undefined

  function load(name: string): unknown {
    const before = loaded.get(name)
    if (before) return before.exports
    const chunk: Chunk = { exports: {} }
    loaded.set(name, chunk)
    joined ??= evaluate(first, { exports: {} }) as Joined
    const inJoined = joined.chunks[name]
    if (inJoined) chunk.exports = inJoined()
    else evaluate(name, chunk)
    return chunk.exports
  }

  function evaluate(name: string, chunk: Chunk): unknown {
    const inner = name.slice(0, name.lastIndexOf('/') + 1)
    const resolve = (id: string) => (id.startsWith('./') ? load(`${inner}${id.slice(2)}`) : loadModule(id))
    const cachedData = readCompiled(name)
    const script = new Script(readCode(name), {
      filename: pathOf(name),
      ...(cachedData !== undefined && { cachedData }),
    })
    onCompiled?.(name, script)
    const body = script.runInThisContext() as Body
    body(chunk.exports, resolve, chunk, `${folder}/${name}`, `${folder}/${inner}`)
    return chunk.exports
  }

  return load
}
