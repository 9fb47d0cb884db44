import type { Plugin } from 'esbuild'

/** Parts of undici that its pool loads and a client of JSON over HTTP/1.1 never runs: half of what loading it costs. */
const LEFT_OUT = /undici\/lib\/(dispatcher\/client-h2|web\/fetch\/(body|formdata)|web\/webidl\/index)\.js$/

export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup(build) {
    build.onLoad({ filter: LEFT_OUT }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`left out of the bundle: ${path.replace(/.*undici/, 'undici')}`)}) }`,
    }))
  },
}
