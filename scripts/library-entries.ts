import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

/** What `exports` in package.json names: each loads the bundle of the library, the same for `import` and for `require`. */
const ENTRIES: Readonly<Record<string, string>> = {
  index: './library/library.js',
  sandbox: './library/sandbox.js',
  webhooks: './library/webhooks.js',
}

/** Refuses an older Node. As an ES module too: Node 20 reports an error twice that CommonJS throws within an import. */
const NEEDS_NODE = new URL('../bin/needs-node.cjs', import.meta.url)

export function writeLibraryEntries(dist: string): void {
  copyFileSync(NEEDS_NODE, join(dist, 'needs-node.js'))
  for (const [name, bundle] of Object.entries(ENTRIES)) {
    writeFileSync(join(dist, `${name}.js`), `import './needs-node.js'\nexport * from '${bundle}'\n`)
    writeFileSync(
      join(dist, `${name}.cjs`),
      `require('../bin/needs-node.cjs')\nmodule.exports = require('${bundle}')\n`,
    )
  }
}

/** The verification of webhooks is a file of its own without anything of Node, which the library loads too: its errors are of one class. */
export const webhooksPlugin: Plugin = {
  name: 'webhooks',
  setup(build) {
    build.onResolve({ filter: /\/verify-webhook\.ts$/ }, () => ({ path: './webhooks.js', external: true }))
  },
}

/**
 * Dependencies in CommonJS load built-in modules with require, which an ES module does not have. Not in every file: workers, which
 * load the verification of webhooks, have no `node:module`.
 */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"

export function addRequire(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    if (/\brequire\b/.test(text)) writeFileSync(file, REQUIRE + text)
  }
}
