import type { Plugin } from 'esbuild'

/** Parts of undici that its pool loads and a client of JSON over HTTP/1.1 never runs: half of what loading it costs. */
const LEFT_OUT = /undici\/lib\/(dispatcher\/client-h2|web\/fetch\/(body|formdata)|web\/webidl\/index)\.js$/

/**
 * What a package takes from a module of Node's and needs for nothing that crm does with it: undici asks node:http for the
 * limit of its own flag and for a class of requests that it might be given to destroy; commander starts programs of users; conf wants to know when the process ends.
 */
const STAND_INS = [
  {
    importer: /undici\/lib\//,
    path: 'node:http',
    contents: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }',
  },
  { importer: /commander\/lib\//, path: 'node:child_process', contents: 'export default {}' },
  // It tidies up after conf by sending the process the signal again that it has just had, which is the second Ctrl-C here.
  { importer: /atomically\//, path: 'when-exit', contents: 'export default () => () => {}' },
  // It asks for the home as it is loaded, which throws for a user id without an account; conf is always told its folder.
  {
    importer: /conf\//,
    path: 'env-paths',
    contents: 'export default () => { throw new Error("conf was not told its folder") }',
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
