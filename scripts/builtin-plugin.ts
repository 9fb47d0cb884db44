import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Loads Node's own modules with `require`, and reads only the exports that the importing file names: an ES import reads every
 * export, including lazy ones, which for `node:http` alone costs 25 ms of start-up.
 */
export const builtinPlugin: Plugin = {
  name: 'builtin',
  setup(build) {
    const root = build.initialOptions.absWorkingDir ?? ''
    build.onResolve({ filter: /^node:/ }, ({ path, kind, importer }) => {
      // A require needs no change; a dynamic import returns a namespace, which the replacement could not be.
      if (kind !== 'import-statement') return { path, external: true }
      // One per importer: shared by several chunks it would become a separate chunk, and a file to load.
      // Relative, because names of chunks depend on the paths in them.
      return { path: `${path}?${relative(root, importer)}`, namespace: 'builtin', pluginData: { path, importer } }
    })
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ pluginData: { path, importer } }) => {
      const names = namesImported(readFileSync(importer, 'utf8'), path)
      if (path === 'node:fs/promises') return { contents: names.map(lazyFunction).join('\n') }
      const exports = names.map((name) => `export const ${name} = builtin.${name}`)
      const lines = [`const builtin = require(${JSON.stringify(path)})`, 'export default builtin', ...exports]
      return { contents: lines.join('\n') }
    })
  },
}

/** Only functions are imported from it, most of them for writing: loaded with the first call. */
function lazyFunction(name: string): string {
  return `export const ${name} = (...args) => require('node:fs/promises').${name}(...args)`
}

function namesImported(source: string, path: string): string[] {
  const names = new Set<string>()
  for (const [, clause = ''] of source.matchAll(new RegExp(`import\\s([^;'"]*?)\\sfrom\\s['"]${path}['"]`, 'g'))) {
    const [, braced = ''] = /\{([\s\S]*)\}/.exec(clause) ?? []
    for (const part of braced.split(',')) {
      const [name = ''] = part.trim().split(/\s+as\s+/)
      if (name !== '' && !name.startsWith('type ')) names.add(name)
    }
  }
  return [...names]
}
