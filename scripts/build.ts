import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type OutputOptions, type RolldownOptions, rolldown } from 'rolldown'
import { shippedConnector, shippedNames } from '../src/connector/shipped.ts'
import { noticesOf } from './bundled-packages.ts'
import { readVocabulary } from './read-vocabulary.ts'

/**
 * `build.ts [FOLDER]` builds `dist`, or another folder of the checkout, of four bundles. `cli` is the command line, in CommonJS, which
 * Node loads in half of the time that it takes for ES modules. `screens` is the same program as ES modules, for `crm browse` and
 * `listen --tui`: Ink waits for Yoga at the top level of a module, which CommonJS cannot. `library` and `webhooks` are what other programs import.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const folder = `${root}${process.argv[2] ?? 'dist'}`
const next = `${root}dist.${process.pid}`

const DEFINE = {
  CRM_VERSION: JSON.stringify(version),
  CRM_VOCABULARY: JSON.stringify(JSON.stringify(await readVocabulary())),
  // For React and Ink, whose development mode is twice as slow and the default.
  'process.env.NODE_ENV': '"production"',
  'process.env.DEV': '"false"',
}

/** A file of its own without anything of Node, for workers; the library loads the same one, so that its errors are of one class. */
const WEBHOOKS = /\/verify-webhook\.ts$/

interface Bundle extends Pick<RolldownOptions, 'input' | 'external' | 'platform'> {
  readonly name: string
  readonly format: 'cjs' | 'es'
}

async function write({ name, format, ...options }: Bundle): Promise<readonly OutputChunk[]> {
  const dir = `${next}/${name}`
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    ...options,
    transform: {
      target: 'node22.19',
      // CommonJS has no import.meta.
      define: { ...DEFINE, ...(format === 'cjs' && { 'import.meta.dirname': '__dirname' }) },
    },
    // A warning of today is a mistake of tomorrow.
    onLog: (_level, log) => {
      throw new Error(log.message)
    },
  })
  const written: OutputOptions = {
    dir,
    format,
    // Names without a digest, so that the code that Node keeps of an earlier version is replaced, not added to.
    chunkFileNames: 'chunks/[name].js',
    paths: (id) => (WEBHOOKS.test(id) ? '../webhooks/webhooks.js' : id),
    // Names are kept, so that stack traces are readable.
    minify: { mangle: false, compress: true, codegen: true },
    comments: { legal: false },
  }
  const { output } = await bundle.write(written)
  writeFileSync(`${dir}/package.json`, `{"type":"${format === 'cjs' ? 'commonjs' : 'module'}"}\n`)
  return output.filter((each) => each.type === 'chunk')
}

const MAIN = { main: 'src/main.ts' }
const bundles = {
  cli: await write({ name: 'cli', format: 'cjs', input: MAIN, external: ['ink'] }),
  // The tools for developers of React, which Ink asks for in its development mode alone.
  screens: await write({ name: 'screens', format: 'es', input: MAIN, external: ['react-devtools-core'] }),
  library: await write({
    name: 'library',
    format: 'es',
    input: { library: 'src/index.ts', sandbox: 'src/sandbox/start-sandbox.ts' },
    external: [WEBHOOKS],
  }),
  webhooks: await write({
    name: 'webhooks',
    format: 'es',
    platform: 'neutral',
    input: { webhooks: 'src/library/verify-webhook.ts' },
  }),
}

/**
 * What `exports` in package.json names: each loads its bundle, the same for `import` and for `require`, on a Node that is new enough.
 * An `import` of webhooks takes the bundle itself: a worker has no version of Node.
 */
copyFileSync(`${root}bin/needs-node.cjs`, `${next}/needs-node.js`)
for (const [entry, bundle] of Object.entries({ index: 'library', sandbox: 'sandbox' }))
  writeFileSync(`${next}/${entry}.js`, `import './needs-node.js'\nexport * from './library/${bundle}.js'\n`)
const required = { index: 'library/library', sandbox: 'library/sandbox', webhooks: 'webhooks/webhooks' }
for (const [entry, bundle] of Object.entries(required))
  writeFileSync(
    `${next}/${entry}.cjs`,
    `require('../bin/needs-node.cjs')\nmodule.exports = require('./${bundle}.js')\n`,
  )

// Of shipped.ts: reading and checking YAML would take longer than the rest of a start.
mkdirSync(`${next}/connectors`)
for (const name of shippedNames())
  writeFileSync(`${next}/connectors/${name}.json`, JSON.stringify(await shippedConnector(name)))

/** The modules whose code is in each file of the build, by their paths in the checkout. */
const modules = Object.entries(bundles).flatMap(([name, chunks]) =>
  chunks.map(({ fileName, modules }): [string, string[]] => {
    // Rolldown's own helpers have names that are no paths.
    const rendered = Object.entries(modules).filter(
      ([id, { renderedLength }]) => id.startsWith(root) && renderedLength > 0,
    )
    return [`dist/${name}/${fileName}`, rendered.map(([id]) => id.replace(root, ''))]
  }),
)
writeFileSync(`${next}/modules.json`, JSON.stringify(Object.fromEntries(modules)))
writeFileSync(
  `${next}/THIRD-PARTY-NOTICES.txt`,
  noticesOf(
    modules.flatMap(([, inputs]) => inputs),
    root,
  ),
)

// In one step, so that a failed build leaves the last one, and a running crm finds its files.
rmSync(folder, { recursive: true, force: true })
renameSync(next, folder)
chmodSync(`${root}bin/crm.js`, 0o755)
