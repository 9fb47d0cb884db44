import type { Plugin } from 'esbuild'

/**
 * Takes Node's own modules by `require`: an ES import of them reads every export, the lazy ones among them, and
 * `import 'node:http'` alone costs 25 ms of start-up that way.
 */
export const builtinPlugin: Plugin = {
  name: 'builtin',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind, namespace }) => {
      // A dynamic import hands out a namespace object, which the module that stands in here could not be.
      const isLeftAlone = namespace === 'builtin' || kind === 'dynamic-import'
      return isLeftAlone ? { path, external: true } : { path, namespace: 'builtin' }
    })
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}
