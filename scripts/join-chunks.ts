import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { compiledFolder, JOINED } from '../src/loader/bundle.ts'
import { asFunction } from './as-function.ts'
import { rehearse } from './rehearse.ts'

export const TAB = [['__complete', 'fish', 'contacts', 'list', '--fields', '']]

export const WITHOUT_REQUEST = [['config', 'path']]

export const SINGLE_REQUESTS = [
  ['contacts', 'list', '-o', 'json'],
  ['contacts', 'list'],
  ['contacts', 'create', '--set', 'name=Ada', '-o', 'id', '-q'],
]

/** The code of each chunk, an ES module, by its name, such as `chunks/client-X.js`. */
export type Modules = ReadonlyMap<string, string>

/**
 * Writes the files of chunks that are loaded together. The bundler makes one scope of all chunks of a file: as functions of their own, a
 * hundred chunks take a quarter of a list's time to call, and to reach each other's exports.
 */
export async function joinChunks(folder: string, modules: Modules, options: BuildOptions): Promise<void> {
  for (const file of Object.values(JOINED)) writeFileSync(join(folder, file), asFunction('exports.chunks={}'))
  const commands = {
    [JOINED.tab]: TAB,
    [JOINED.program]: WITHOUT_REQUEST,
    [JOINED.requests]: [...WITHOUT_REQUEST, ...SINGLE_REQUESTS],
  }
  const sets: [file: string, names: readonly string[]][] = []
  for (const [file, lines] of Object.entries(commands)) sets.push([file, await chunksLoadedBy(folder, lines)])
  for (const [file, names] of sets) writeFileSync(join(folder, file), await joined({ folder, names, modules }, options))
}

async function chunksLoadedBy(folder: string, commands: readonly (readonly string[])[]): Promise<readonly string[]> {
  await rehearse(folder, commands)
  const compiled = compiledFolder(folder, process)
  const loaded = new Set(readdirSync(compiled))
  rmSync(compiled, { recursive: true })
  const chunks = readdirSync(join(folder, 'chunks')).filter((name) => loaded.has(name))
  return ['main.js', ...chunks.toSorted().map((name) => `chunks/${name}`)]
}

interface Wanted {
  readonly folder: string
  readonly names: readonly string[]
  readonly modules: Modules
}

const ENTRY = 'joined.js'

/** Each chunk still is evaluated when it is first asked for, by another chunk of the file or by one outside. */
async function joined({ folder, names, modules }: Wanted, options: BuildOptions): Promise<string> {
  const entries = names.map((name) => `${JSON.stringify(name)}:()=>require("./${name}")`)
  const entry = `export const chunks={${entries.join(',')}}`
  const chunksPlugin: Plugin = {
    name: 'chunks',
    setup(build) {
      build.onResolve({ filter: /^\.\// }, ({ path, importer }) => {
        const name = join(importer.startsWith(join(folder, 'chunks')) ? 'chunks' : '', path)
        return names.includes(name) || name === ENTRY
          ? { path: join(folder, name) }
          : { path: `./${name}`, external: true }
      })
      build.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const name = path.slice(folder.length + 1)
        return { contents: name === ENTRY ? entry : (modules.get(name) ?? '') }
      })
    },
  }
  const { outputFiles } = await build({
    ...options,
    // Names in the result are relative to it.
    absWorkingDir: folder,
    entryPoints: [`./${ENTRY}`],
    bundle: true,
    plugins: [chunksPlugin],
    write: false,
    logLevel: 'warning',
  })
  return asFunction(outputFiles?.[0]?.text ?? '')
}
