import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createJqStreams } from '../src/expr/jq.ts'

/** What crm takes from packages beside their public interface; they are therefore pinned to one version. */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const { devDependencies, overrides } = require('../package.json')
const PINNED: Readonly<Record<string, string>> = { ...devDependencies, ...overrides }

function sourceOf(path: string): string {
  return readFileSync(join(ROOT, 'node_modules', path), 'utf8')
}

/** WebAssembly within a source file. */
const BINARY = /data:application\/octet-stream;base64,[A-Za-z0-9+/=]{1000}/g

test.each(['undici', 'ink', 'yoga-layout', 'jq-wasm', 'conf', 'commander'])(
  '%s is pinned to the version that is installed, because crm relies on its internals',
  (name) => {
    expect(PINNED[name]).toBe(JSON.parse(sourceOf(`${name}/package.json`)).version)
  },
)

test('undici: the pool and the connector load alone, and a connector returns its socket (src/api)', () => {
  const Pool = require('undici/lib/dispatcher/pool.js')
  const createConnector = require('undici/lib/core/connect.js')
  expect(Pool.prototype).toMatchObject({ dispatch: expect.any(Function), destroy: expect.any(Function) })
  const connect = createConnector({ allowH2: false, timeout: 1000 })
  const socket = connect({ hostname: '127.0.0.1', host: '127.0.0.1', protocol: 'http:', port: '9' }, () => {})
  expect(socket.destroy()).toBe(socket)
})

test('undici: the parts that the build leaves out exist, and node:http gives it two members (scripts/left-out-plugin.ts)', () => {
  for (const part of ['dispatcher/client-h2', 'web/fetch/body', 'web/fetch/formdata', 'web/webidl/index']) {
    expect(existsSync(join(ROOT, `node_modules/undici/lib/${part}.js`)), part).toBe(true)
  }
  const taken = sourceOf('undici/lib/dispatcher/client.js').match(/\bhttp\.\w+/g)
  expect([...new Set(taken)]).toEqual(['http.maxHeaderSize'])
  expect(sourceOf('undici/lib/core/util.js')).toContain("const { IncomingMessage } = require('node:http')")
})

test('ink: the reconciler asks twice for developer mode, which the build removes (scripts/ink-plugin.ts)', () => {
  const parts = sourceOf('ink/build/reconciler.js').split("if (process.env['DEV'] === 'true') {")
  expect(parts).toHaveLength(3)
})

test('yoga-layout: the binary stands in one data URL, and the wrapper takes an instance (scripts/ink-plugin.ts)', () => {
  const binary = sourceOf('yoga-layout/dist/binaries/yoga-wasm-base64-esm.js')
  expect(binary.match(BINARY)).toHaveLength(1)
  expect(binary).toContain('instantiateWasm')
  expect(sourceOf('yoga-layout/dist/src/wrapAssembly.js')).toContain('export default function wrapAssembly')
  expect(sourceOf('yoga-layout/dist/src/index.js')).toContain('./generated/YGEnums.js')
})

test('jq-wasm: the binary stands in its code, as do the name that moves the stack and the streams (src/expr/jq.ts)', () => {
  const source = sourceOf('jq-wasm/dist/build/jq.js')
  expect(source.match(BINARY)).toHaveLength(1)
  expect(source).toMatch(/__emscripten_stack_alloc\s*=\s*wasmExports/)
  for (const name of Object.keys(createJqStreams().stand))
    expect(source.includes(`var ${name} =`) || source.includes(`function ${name}(`), name).toBe(true)
})

test('conf: it writes through atomically, whose temporary files end in .tmp- (src/settings/change-document.ts)', () => {
  const source = sourceOf('conf/dist/source/index.js')
  expect(source).toContain("from 'atomically'")
  expect(source).toContain("import envPaths from 'env-paths'")
  expect(sourceOf('atomically/dist/utils/temp.js')).toContain("const prefix = 'tmp-'")
  expect(sourceOf('atomically/dist/utils/temp.js')).toContain("from 'when-exit'")
})

test('commander: it starts programs with node:child_process alone, which the build replaces (scripts/left-out-plugin.ts)', () => {
  const source = sourceOf('commander/lib/command.js')
  expect(source).toContain("import childProcess from 'node:child_process'")
  expect(source.match(/childProcess\.\w+/g)).toEqual(['childProcess.spawn', 'childProcess.spawn', 'childProcess.spawn'])
})
