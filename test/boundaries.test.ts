import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { doubledNames } from '../scripts/exported-names.ts'
import { boundaryFaults } from '../scripts/import-rules.ts'
import { packageFaults } from '../scripts/package-rules.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')

/** Each file crosses a boundary of docs/decisions/0001-modules.md. */
const CROSSING: readonly (readonly [file: string, code: string])[] = [
  ['src/core/bad.ts', "import { run } from '../api/transport/http.ts'"],
  ['src/core/bad.ts', "import type { Page } from '../api/api.ts'"],
  ['src/files/bad.ts', "import { safeText } from '../output/safe-text.ts'"],
  ['src/expr/bad.ts', "import { openSettings } from '../settings/settings.ts'"],
  ['src/api/bad.ts', "import { startServer } from '../service/server.ts'"],
  ['src/api/bad.ts', "const service = await import('../service/server.ts')"],
  ['src/service/resources/bad.ts', "import { createApi } from '../../api/client.ts'"],
  ['src/service/bad.ts', "import { safeText } from '../output/safe-text.ts'"],
  ['src/output/bad.ts', "import { openSettings } from '../settings/settings.ts'"],
  ['src/settings/bad.ts', "import type { Context } from '../context.ts'"],
  ['src/webhooks/bad.ts', "import { createApi } from '../api/client.ts'"],
  ['src/jobs/bad.ts', "import { openSettings } from '../settings/settings.ts'"],
  ['src/fixtures/bad.ts', "import { startServer } from '../service/server.ts'"],
  ['src/sandbox/bad.ts', "import { createApi } from '../api/client.ts'"],
  ['src/duplicates/bad.ts', "import { createApi } from '../api/client.ts'"],
  ['src/sorting/bad.ts', "import { createApi } from '../api/client.ts'"],
  ['src/snapshot/bad.ts', "import { openSettings } from '../settings/settings.ts'"],
  ['src/completion/bad.ts', "import { createApi } from '../api/client.ts'"],
  ['src/completion/bad.ts', "import { Command } from 'commander'"],
  ['src/commands/bad.ts', "import { SCRIPTS } from '../completion/scripts.ts'"],
  ['src/output/bad.ts', "import { SHELLS } from '../completion/shells.ts'"],
  ['src/api/bad.ts', "import { differences } from '../snapshot/compare.ts'"],
  ['src/ui/contacts/bad.ts', "import { startServer } from '../../service/server.ts'"],
  ['src/commands/contacts/bad.ts', "import { createApi } from '../../api/client.ts'"],
  ['src/commands/bad.ts', "import { startServer } from '../service/server.ts'"],
  ['src/commands/contacts/bad.ts', "import { run } from '../../program.ts'"],
  ['src/settings/bad.ts', "import { Pool } from 'undici'"],
  ['src/api/bad.ts', "import Conf from 'conf'"],
  ['src/service/bad.ts', "import { Command } from 'commander'"],
  ['src/output/bad.ts', "import * as jq from 'jq-wasm'"],
  ['src/api/bad.ts', "import { parse } from 'graphql'"],
  ['src/commands/bad.ts', "import { Registry } from 'prom-client'"],
  ['src/jobs/bad.ts', "import { addContacts } from '../commands/contacts.ts'"],
  ['src/jobs/bad.ts', "import type { Ui } from '../ui/ui.ts'"],
  ['src/ui/bad.ts', "import { stateHome } from '../files/home-folder.ts'"],
  ['src/ui/bad.ts', "const sandbox = await import('../sandbox/run-in-sandbox.ts')"],
  ['src/webhooks/bad.ts', "import type { Settings } from '../settings/settings.ts'"],
  ['src/commands/contacts/bad.ts', "import { type Api, createApi } from '../../api/client.ts'"],
  ['src/commands/bad.ts', "import type { Main } from '../main.ts'"],
  ['src/context.ts', "import { createApi } from './api/client.ts'"],
  ['src/context.ts', "import { addContacts } from './commands/contacts.ts'"],
  ['src/newmodule/bad.ts', 'export const made = 1'],
  ['src/files/bad.ts', "import process from 'node:process'"],
  ['src/jobs/bad.ts', "import { pid } from 'node:process'"],
  ['src/output/bad.ts', "import 'ink'"],
  ['src/core/bad.ts', "import leftPad from 'left-pad'"],
  ['src/sandbox/bad.ts', "import { openSqliteStore } from '../service/store/sqlite/sqlite-store.ts'"],
  ['src/commands/serve/bad.ts', "const store = await import('../../service/store/sqlite/sqlite-store.ts')"],
  ['src/service/bad.ts', "import { openDatabase } from './store/sqlite/open-database.ts'"],
  ['src/commands/serve/bad.ts', "import { DatabaseSync } from 'node:sqlite'"],
]

/** Imports that look similar and cross no boundary. */
const ALLOWED: readonly (readonly [file: string, code: string])[] = [
  ['src/api/good.ts', "import { EXIT } from '../core/exit.ts'"],
  ['src/commands/contacts/good.ts', "import type { Api } from '../../api/api.ts'"],
  ['src/commands/good.ts', "import { type Api, type Page } from '../api/api.ts'"],
  ['src/commands/good.ts', "import type { Context } from '../context.ts'"],
  ['src/context.ts', "const open = () => import('./api/client.ts')"],
  ['src/context.ts', "type Export = typeof import('./jobs/export/export-records.ts')"],
  ['src/files/processes.ts', "import process from 'node:process'"],
]

type Files = readonly (readonly [file: string, code: string])[]

/** A tree of these files alone. */
function treeOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'crm-boundaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, code] of files) write(folder, file, code)
  return folder
}

function faultsIn(files: Files) {
  return boundaryFaults(treeOf(files))
}

function write(folder: string, path: string, code: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), `${code}\n`)
}

test.each(CROSSING)('%s may not hold: %s', (file, code) => {
  expect(faultsIn([[file, code]])).toEqual([{ file, fault: expect.any(String) }])
})

test.each(ALLOWED)('%s may hold: %s', (file, code) => {
  expect(faultsIn([[file, code]])).toEqual([])
})

test('files that import each other are a fault, if only types make the circle', () => {
  const files = [
    ['src/core/a.ts', "import type { B } from './b.ts'"],
    ['src/core/b.ts', "import type { C } from './c.ts'"],
    ['src/core/c.ts', "import { type A } from './a.ts'"],
  ] as const
  expect(faultsIn(files)).toEqual([{ file: 'src/core/a.ts', fault: expect.stringContaining('core/b.ts, core/c.ts') }])
  expect(faultsIn([...files.slice(0, 2), ['src/core/c.ts', "const a = () => import('./a.ts')"]])).toEqual([])
})

test('src crosses no boundary and has no circle', () => {
  expect(boundaryFaults(ROOT)).toEqual([])
})

test('a name that two files export is a fault, but for the two databases and the shapes of the library', () => {
  const doubled: Files = [
    ['src/core/a.ts', 'export interface Group {}'],
    ['src/jobs/b.ts', 'export async function* Group() {}'],
  ]
  const fault = expect.stringContaining('exports Group, as does src/jobs/b.ts')
  expect(doubledNames(treeOf(doubled))).toEqual([{ file: 'src/core/a.ts', fault }])
  const [sqlite, postgres] = ['src/service/store/sqlite/', 'src/service/store/postgres/']
  const pair: Files = [
    [`${sqlite}stats.ts`, 'export const readStats = 1'],
    [`${postgres}numbers.ts`, 'export function readStats() {}'],
  ]
  const library: Files = [
    ['src/library/calls.ts', 'export interface Page {}'],
    ['src/api/operations.ts', 'export interface Page {}'],
  ]
  expect(doubledNames(treeOf([...pair, ...library]))).toEqual([])
  expect(doubledNames(treeOf([...pair, [`${sqlite}more.ts`, 'export class readStats {}']]))).toHaveLength(1)
  expect(doubledNames(treeOf([...pair, ['src/core/a.ts', 'export class readStats {}']]))).toHaveLength(1)
})

test('no name is exported by two files of src', () => {
  expect(doubledNames(ROOT)).toEqual([])
})

test.each([
  ['export const pid = process.pid', 'noRestrictedGlobals'],
  ["export { EXIT } from './exit.ts'", 'noBarrelFile'],
  ['export default 1', 'noDefaultExport'],
])('the linter refuses %s', (code, rule) => {
  const folder = mkdtempSync(join(tmpdir(), 'crm-boundaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
  write(folder, 'src/core/bad.ts', code)
  const args = ['lint', '--vcs-enabled=false', '--reporter=json', '.']
  const { stdout } = spawnSync(process.execPath, [BIOME, ...args], { cwd: folder, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { category: string }[] }
  expect(diagnostics.map(({ category }) => category).join(' ')).toContain(rule)
})

/** Written in parts, because the rule reads this file too. */
const INNER = ['undici', 'lib/dispatcher/pool.js'].join('/')
const BEHIND_PACKAGES: Files = [
  ['src/api/bad.ts', `import Pool from '${INNER}'`],
  ['src/api/bad.d.ts', `declare module '${INNER}' {}`],
  ['src/api/bad.ts', `const pool = await import('${INNER}')`],
  ['bin/bad.js', `const pool = require('${INNER}')`],
  ['bench/bad.ts', `const path = import.meta.resolve("${INNER}")`],
  ['test/api/bad.test.ts', `vi.mock(\`${INNER}\`)`],
  ['test/api/bad.mjs', `import { Pool } from '../../${['node_modules', INNER].join('/')}'`],
  ['src/expr/bad.ts', `import jq from '${['jq-wasm', 'dist/inline.mjs'].join('/')}'`],
  ['scripts/bad.ts', 'export const plugin = { setup: (build) => build.onLoad({ filter: /ink\\/build/ }, load) }'],
  ['scripts/bad.ts', "export const plugin = { transform: (code, id) => (id.includes('node_modules') ? code : '') }"],
  [
    'scripts/bad.ts',
    "export const plugin = { resolveId(id) { return id === 'when-exit' || id === 'conf' ? STAND_IN : null } }",
  ],
]

test.each(BEHIND_PACKAGES)('%s may not go behind the interface of a package: %s', (file, code) => {
  expect(packageFaults(treeOf([[file, code]]), MODULES)).toEqual([{ file, fault: expect.any(String) }])
})

test('what a package exports, its root, its programs and its package.json may be named, and plugins may change our own code', () => {
  const files: Files = [
    ['src/expr/good.ts', "import { loadJq } from 'jq-wasm/inline'"],
    ['src/api/good.ts', "import { Pool } from 'undici'"],
    ['test/good.ts', "const bin = require.resolve('json-server/lib/bin.js')"],
    ['scripts/good.ts', "const { version } = require('undici/package.json')"],
    [
      'scripts/plugin.ts',
      "import { rolldown } from 'rolldown'\nexport const own = { load: (id) => (id === 'ours' ? 'a' : null) }",
    ],
  ]
  expect(packageFaults(treeOf(files), MODULES)).toEqual([])
})

test('all code uses packages through their interface', () => {
  expect(packageFaults(ROOT)).toEqual([])
})

/** The files below src that hold a text. */
function sourcesWith(text: string): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => /\.tsx?$/.test(file))
  expect(sources.length).toBeGreaterThan(100)
  return sources.filter((file) => readFileSync(join(ROOT, 'src', file), 'utf8').includes(text))
}

test('no source file changes flags of V8, which Node warns may lose data once the process runs', () => {
  expect(sourcesWith('setFlagsFromString')).toEqual([])
})

test('node:sqlite is named by the store of the service, and by the scratch files of jobs', () => {
  const elsewhere = sourcesWith('node:sqlite').filter((file) => !file.startsWith('service/store/sqlite/'))
  expect(elsewhere.filter((file) => !file.startsWith('jobs/'))).toEqual([])
  expect(sourcesWith('store/sqlite/').filter((file) => !file.startsWith('service/store/'))).toEqual([])
})
