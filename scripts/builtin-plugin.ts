import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
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
      if (isLazy(path, names)) return { contents: names.map((name) => lazyFunction(path, name)).join('\n') }
      const exports = names.map((name) => `export const ${name} = builtin.${name}`)
      const lines = [`const builtin = require(${JSON.stringify(path)})`, 'export default builtin', ...exports]
      return { contents: lines.join('\n') }
    })
  },
}

/** Most commands call none of their functions: they are loaded with the first call. */
const SELDOM_CALLED = ['node:fs/promises', 'node:os', 'node:timers/promises']

function isLazy(path: string, names: readonly string[]): boolean {
  const exports = createRequire(import.meta.url)(path)
  return SELDOM_CALLED.includes(path) && names.length > 0 && names.every((name) => typeof exports[name] === 'function')
}

function lazyFunction(path: string, name: string): string {
  return `export const ${name} = (...args) => require(${JSON.stringify(path)}).${name}(...args)`
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
