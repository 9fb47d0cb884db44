import type { Plugin } from 'esbuild'

/** Parts of undici that its pool loads and a JSON client over HTTP/1.1 never runs: half of its loading time. */
const LEFT_OUT = /undici\/lib\/(dispatcher\/client-h2|web\/fetch\/(body|formdata)|web\/webidl\/index)\.js$/

/**
 * Imports of Node's modules that packages do not need as crm uses them: undici reads a limit and a class of node:http, commander
 * can start external programs, conf watches the end of the process.
 */
const STAND_INS = [
  {
    importer: /undici\/lib\//,
    path: 'node:http',
    contents: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }',
  },
  { importer: /commander\/lib\//, path: 'node:child_process', contents: 'export default {}' },
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
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`left out of the bundle: ${path.replace(/.*undici/, 'undici')}`)}) }`,
    }))
    build.onResolve({ filter: /^(?:node:|when-exit$|env-paths$)/ }, ({ path, importer }) => {
      const standIn = STAND_INS.find((each) => each.path === path && each.importer.test(importer))
      return standIn && { path, namespace: 'stand-in', pluginData: standIn.contents }
    })
    build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ pluginData }) => ({ contents: pluginData }))
  },
}
