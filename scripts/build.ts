import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, transform } from 'esbuild'
import { builtinPlugin } from './builtin-plugin.ts'
import { noticesOf } from './bundled-packages.ts'
import { compileChunks } from './compile-chunks.ts'
import { inkPlugin } from './ink-plugin.ts'
import { leftOutPlugin } from './left-out-plugin.ts'
import { readVocabulary } from './read-vocabulary.ts'

/**
 * The command line in `dist/cli`: one small entry and lazy chunks, for each heavy room is imported on first use. The Node
 * library beside it, whole: what the two shared would be cut into more chunks, each a file to load.
 */
const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

const next = `dist.${process.pid}`
const options = {
  absWorkingDir: root.pathname,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // Identifiers stay: jq-wasm finds the imports of its binary by name, and stacks can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: {
    CRM_VERSION: JSON.stringify(version),
    CRM_VOCABULARY: JSON.stringify(JSON.stringify(readVocabulary())),
    // undici's own switch for bundlers: without its experimental parser.
    esbuildDetection: '1',
    // Of React and Ink: unset would mean development, twice as slow.
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
  },
  plugins: [inkPlugin, leftOutPlugin, builtinPlugin],
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

const { metafile } = await build({
  ...options,
  // CommonJS has no import.meta.
  define: { ...options.define, 'import.meta.dirname': '__dirname' },
  entryPoints: { main: 'src/main.ts' },
  outdir: `${next}/cli`,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
})
for (const file of Object.keys(metafile.outputs)) await toCommonJs(new URL(file, root))
await build({ ...options, entryPoints: ['src/chunk-loader.ts'], outdir: `${next}/cli`, format: 'cjs' })
await compileChunks(new URL(`${next}/cli`, root).pathname)
writeFileSync(new URL(`${next}/cli/package.json`, root), '{"type":"commonjs"}\n')
writeFileSync(new URL(`${next}/meta.json`, root), JSON.stringify(metafile).replaceAll(`"${next}/`, '"dist/'))

const library = await build({
  ...options,
  entryPoints: { index: 'src/index.ts', sandbox: 'src/sandbox/start-sandbox.ts' },
  outdir: next,
  // Dependencies in CommonJS ask for built-in modules through require, which an ES module does not have.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
})

writeFileSync(
  new URL(`${next}/THIRD-PARTY-NOTICES.txt`, root),
  noticesOf([metafile, library.metafile], fileURLToPath(root)),
)

// In one step, so that a build that fails leaves the last one, and a crm that runs meanwhile finds its chunks.
rmSync(new URL('dist', root), { recursive: true, force: true })
renameSync(new URL(next, root), new URL('dist', root))
chmodSync(new URL('bin/crm.js', root), 0o755)

/** esbuild splits ES modules only, and Node loads many small ones more slowly than as many CommonJS modules. */
async function toCommonJs(file: URL): Promise<void> {
  const { code } = await transform(readFileSync(file, 'utf8'), {
    format: 'cjs',
    platform: 'node',
    target: options.target,
    supported: { 'dynamic-import': false },
    minifySyntax: true,
    minifyWhitespace: true,
  })
  writeFileSync(file, code)
}
