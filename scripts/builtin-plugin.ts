import type { Plugin } from 'esbuild'

/**
 * Takes Node's own modules by `require`: an ES import of them reads every export, the lazy ones among them, and
 * `import 'node:http'` alone costs 25 ms of start-up that way.
 */
export const builtinPlugin: Plugin = {
  name: 'builtin',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === 'builtin' ? { path, external: true } : { path, namespace: 'builtin' },
    )
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}
