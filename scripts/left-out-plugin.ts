import type { Plugin } from 'esbuild'

/**
 * Parts of undici that its pool loads and a JSON client over HTTP/1.1 never runs: half of its loading time. Parts of Fastify for
 * schemas, logs and requests in tests, none of which the service has: two thirds of its size.
 */
const LEFT_OUT = new RegExp(
  `node_modules/(?:${[
    'undici/lib/(?:dispatcher/client-h2|web/fetch/(?:body|formdata)|web/webidl/index)',
    '@fastify/(?:ajv-compiler|fast-json-stringify-compiler)/index',
    'fastify/lib/logger-pino',
    'light-my-request/index',
  ].join('|')})\\.js$`,
)

/**
 * Imports of Node's modules that packages do not need as crm uses them: undici reads a limit and a class of node:http, commander
 * can start external programs, conf watches the end of the process. Fastify can make servers of other protocols, and compares
 * versions of plugins.
 */
const STAND_INS = [
  {
    importer: /undici\/lib\//,
    path: 'node:http',
    contents: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }',
  },
  { importer: /commander\/lib\//, path: 'node:child_process', contents: 'export default {}' },
  { importer: /fastify\/lib\/server/, path: 'node:https', contents: 'module.exports = {}' },
  { importer: /fastify\/lib\/server/, path: 'node:http2', contents: 'module.exports = {}' },
  { importer: /fastify\/lib\/plugin-utils/, path: 'semver', contents: 'module.exports = {}' },
  // It cleans up after conf by sending the process its signal again, which crm reads as a second Ctrl-C.
  { importer: /atomically\//, path: 'when-exit', contents: 'export default () => () => {}' },
  // It reads the home folder when loaded, which throws for a user id without an account; conf always gets its folder from crm.
  {
    importer: /conf\//,
    path: 'env-paths',
    contents: 'export default () => { throw new Error("conf got no folder") }',
  },
]

export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup(build) {
    build.onLoad({ filter: LEFT_OUT }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`left out of the bundle: ${path.replace(/.*node_modules\//, '')}`)}) }`,
    }))
    build.onResolve({ filter: /^(?:node:|when-exit$|env-paths$|semver$)/ }, ({ path, importer }) => {
      const standIn = STAND_INS.find((each) => each.path === path && each.importer.test(importer))
      return standIn && { path, namespace: 'stand-in', pluginData: standIn.contents }
    })
    build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ pluginData }) => ({ contents: pluginData }))
  },
}
