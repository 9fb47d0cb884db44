import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const BINARY = 'yoga-layout/dist/binaries/yoga-wasm-base64-esm.js'
const DATA = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/

/**
 * Yoga's own entry uses top-level await, which CommonJS does not have, and fetches its binary from a data URL, which makes Node
 * load its own undici: 25 ms. Emscripten's hook accepts an instance at once.
 */
export const inkPlugin: Plugin = {
  name: 'ink',
  setup(build) {
    build.onLoad({ namespace: 'file', filter: /yoga-layout\/dist\/src\/index\.js$/ }, ({ path }) => {
      const [, data] = DATA.exec(readFileSync(join(path, '../../../..', BINARY), 'utf8')) ?? []
      if (data === undefined) throw new Error(`${BINARY} no longer contains a binary`)
      return { contents: yogaModule(data) }
    })
    build.onLoad(
      { namespace: 'file', filter: /yoga-layout\/dist\/binaries\/yoga-wasm-base64-esm\.js$/ },
      ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(DATA, 'data:application/octet-stream;base64,'),
      }),
    )
    build.onLoad({ namespace: 'file', filter: /ink\/build\/reconciler\.js$/ }, ({ path }) => ({
      contents: withoutDevelopment(readFileSync(path, 'utf8')),
    }))
  },
}

/** Ink's top-level await is used only for React's developer tools. */
function withoutDevelopment(source: string): string {
  const parts = source.split("if (process.env['DEV'] === 'true') {")
  if (parts.length !== 3) throw new Error('the reconciler of Ink checks DEV in other places than expected')
  return parts
    .join('if (false) {')
    .replaceAll('await import(', 'import(')
    .replaceAll('await loadPackageJson(', 'loadPackageJson(')
}

function yogaModule(data: string): string {
  return `
import loadYoga from '../binaries/yoga-wasm-base64-esm.js'
import wrapAssembly from './wrapAssembly.js'
export * from './generated/YGEnums.js'
const library = {
  instantiateWasm(imports, receive) {
    const module = new WebAssembly.Module(Buffer.from(${JSON.stringify(data)}, 'base64'))
    receive(new WebAssembly.Instance(module, imports))
    return {}
  },
}
loadYoga(library)
export default wrapAssembly(library)
`
}
