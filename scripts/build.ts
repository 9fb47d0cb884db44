import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'
import { builtinPlugin } from './builtin-plugin.ts'
import { leftOutPlugin } from './left-out-plugin.ts'

/**
 * One small entry and lazy chunks: bundling matters more for start-up than loading command files late, and
 * each heavy room becomes a chunk of its own because the Context imports it on first use.
 */
const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

const next = `dist.${process.pid}`
const options = {
  absWorkingDir: root.pathname,
  outdir: next,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // Identifiers stay: jq-wasm finds the imports of its binary by name, and stacks can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // undici's own switch for bundlers: without its experimental parser. And what jq-wasm, a CommonJS package, asks for.
  define: { CRM_VERSION: JSON.stringify(version), esbuildDetection: '1', __dirname: 'import.meta.dirname' },
  // Dependencies in CommonJS ask for built-in modules through require, which an ES module does not have.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  plugins: [leftOutPlugin, builtinPlugin],
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

const result = await build({
  ...options,
  entryPoints: { main: 'src/main.ts' },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
})
// Apart, because what the two shared would be cut into more chunks, and each that a command loads takes half a millisecond.
await build({ ...options, entryPoints: { index: 'src/index.ts' } })
writeFileSync(new URL(`${next}/meta.json`, root), JSON.stringify(result.metafile).replaceAll(`"${next}/`, '"dist/'))
// In one step, so that a build that fails leaves the last one, and a crm that runs meanwhile finds its chunks.
rmSync(new URL('dist', root), { recursive: true, force: true })
renameSync(new URL(next, root), new URL('dist', root))
chmodSync(new URL('bin/crm.js', root), 0o755)
