import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type TransformOptions, transform } from 'esbuild'
import { asFunction } from './as-function.ts'
import { buildDigest } from './build-digest.ts'
import { builtinPlugin } from './builtin-plugin.ts'
import { noticesOf } from './bundled-packages.ts'
import { compileChunks } from './compile-chunks.ts'
import { inkPlugin } from './ink-plugin.ts'
import { joinChunks } from './join-chunks.ts'
import { leftOutPlugin } from './left-out-plugin.ts'
import { addRequire, webhooksPlugin, writeLibraryEntries } from './library-entries.ts'
import { readVocabulary } from './read-vocabulary.ts'
import { writeReadyTexts } from './ready-texts.ts'

/**
 * `build.ts [FOLDER]` builds the command line in `dist/cli`, or in another folder of the checkout: one small entry and lazy
 * chunks, because heavy modules are imported on first use. The Node library is built separately: sharing code between the two
 * would mean more chunks, each a file to load.
 */
const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

const folder = process.argv[2] ?? 'dist'
const next = `dist.${process.pid}`
const options = {
  absWorkingDir: root.pathname,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // Identifiers are kept: jq-wasm finds the imports of its binary by name, and stack traces stay readable.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: {
    CRM_VERSION: JSON.stringify(version),
    CRM_VOCABULARY: JSON.stringify(JSON.stringify(await readVocabulary())),
    // undici's own switch for bundlers: without its experimental parser.
    esbuildDetection: '1',
    // For React and Ink, whose development mode is twice as slow and the default.
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
  },
  plugins: [inkPlugin, leftOutPlugin, builtinPlugin],
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

const commonJs = {
  format: 'cjs',
  platform: 'node',
  target: options.target,
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
} as const satisfies TransformOptions

const { metafile } = await build({
  ...options,
  // CommonJS has no import.meta.
  define: { ...options.define, 'import.meta.dirname': '__dirname' },
  entryPoints: { main: 'src/main.ts' },
  outdir: `${next}/cli`,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
})
const cli = new URL(`${next}/cli`, root).pathname
const files = Object.keys(metafile.outputs).map((file) => new URL(file, root).pathname)
const modules = new Map(files.map((file) => [relative(cli, file), readFileSync(file, 'utf8')]))
for (const file of files) await toCommonJs(file)
await joinChunks(cli, modules, commonJs)
await build({
  ...options,
  entryPoints: ['src/chunk-loader.ts', 'src/loader/code-cache.ts'],
  entryNames: '[name]',
  outdir: `${next}/cli`,
  format: 'cjs',
  define: { ...options.define, CRM_BUILD: JSON.stringify(buildDigest(cli)) },
})
await writeReadyTexts(join(cli, 'texts'), version)
await compileChunks(cli)
writeFileSync(join(cli, 'package.json'), '{"type":"commonjs"}\n')
writeFileSync(new URL(`${next}/meta.json`, root), JSON.stringify(metafile).replaceAll(`"${next}/`, '"dist/'))

const library = await build({
  ...options,
  entryPoints: { library: 'src/index.ts', sandbox: 'src/sandbox/start-sandbox.ts' },
  plugins: [...options.plugins, webhooksPlugin],
  outdir: `${next}/library`,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
})
await build({
  ...options,
  entryPoints: { webhooks: 'src/library/verify-webhook.ts' },
  outdir: `${next}/library`,
  platform: 'neutral',
})
addRequire(new URL(`${next}/library`, root).pathname)
writeLibraryEntries(new URL(next, root).pathname)

writeFileSync(
  new URL(`${next}/THIRD-PARTY-NOTICES.txt`, root),
  noticesOf([metafile, library.metafile], fileURLToPath(root)),
)

// In one step, so that a failed build leaves the last one, and a running crm finds its chunks.
rmSync(new URL(folder, root), { recursive: true, force: true })
renameSync(new URL(next, root), new URL(folder, root))
chmodSync(new URL('bin/crm.js', root), 0o755)

/** esbuild splits only ES modules, and Node loads many small ES modules more slowly than CommonJS modules. */
async function toCommonJs(file: string): Promise<void> {
  const { code } = await transform(readFileSync(file, 'utf8'), commonJs)
  writeFileSync(file, asFunction(code))
}
