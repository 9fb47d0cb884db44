import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')

/** A file that crosses a boundary, and the rule that says so. Rooms that do not exist yet are guarded all the same. */
const BAD: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['src/core/bad.ts', "import { run } from '../api/http.ts'", 'noRestrictedImports'],
  ['src/core/bad.ts', "import type { Page } from '../api/api.ts'", 'noRestrictedImports'],
  ['src/files/bad.ts', "import { safeText } from '../output/safe-text.ts'", 'noRestrictedImports'],
  ['src/expr/bad.ts', "import { openSettings } from '../settings/settings.ts'", 'noRestrictedImports'],
  ['src/api/bad.ts', "import { startServer } from '../service/server.ts'", 'noRestrictedImports'],
  ['src/api/bad.ts', "const service = await import('../service/server.ts')", 'noRestrictedImports'],
  ['src/service/routes/bad.ts', "import { createApi } from '../../api/client.ts'", 'noRestrictedImports'],
  ['src/service/bad.ts', "import { safeText } from '../output/safe-text.ts'", 'noRestrictedImports'],
  ['src/output/bad.ts', "import { openSettings } from '../settings/settings.ts'", 'noRestrictedImports'],
  ['src/settings/bad.ts', "import type { Context } from '../context.ts'", 'noRestrictedImports'],
  ['src/webhooks/bad.ts', "import { createApi } from '../api/client.ts'", 'noRestrictedImports'],
  ['src/jobs/bad.ts', "import { openSettings } from '../settings/settings.ts'", 'noRestrictedImports'],
  ['src/fixtures/bad.ts', "import { startServer } from '../service/server.ts'", 'noRestrictedImports'],
  ['src/sandbox/bad.ts', "import { createApi } from '../api/client.ts'", 'noRestrictedImports'],
  ['src/snapshot/bad.ts', "import { openSettings } from '../settings/settings.ts'", 'noRestrictedImports'],
  ['src/completion/bad.ts', "import { createApi } from '../api/client.ts'", 'noRestrictedImports'],
  ['src/completion/bad.ts', "import { Command } from 'commander'", 'noRestrictedImports'],
  ['src/commands/bad.ts', "import { SCRIPTS } from '../completion/scripts.ts'", 'noRestrictedImports'],
  ['src/output/bad.ts', "import { SHELLS } from '../completion/shells.ts'", 'noRestrictedImports'],
  ['src/api/bad.ts', "import { differences } from '../snapshot/compare.ts'", 'noRestrictedImports'],
  ['src/ui/contacts/bad.ts', "import { startServer } from '../../service/server.ts'", 'noRestrictedImports'],
  ['src/commands/contacts/bad.ts', "import { createApi } from '../../api/client.ts'", 'noRestrictedImports'],
  ['src/commands/bad.ts', "import { startServer } from '../service/server.ts'", 'noRestrictedImports'],
  ['src/commands/contacts/bad.ts', "import { run } from '../../program.ts'", 'noRestrictedImports'],
  ['src/commands/contacts/bad.ts', "import { LAZY_MODULES } from '../../lazy-modules.ts'", 'noRestrictedImports'],
  ['src/settings/bad.ts', "import { Pool } from 'undici'", 'noRestrictedImports'],
  ['src/api/bad.ts', "import Conf from 'conf'", 'noRestrictedImports'],
  ['src/service/bad.ts', "import { Command } from 'commander'", 'noRestrictedImports'],
  ['src/output/bad.ts', "import Fastify from 'fastify'", 'noRestrictedImports'],
  ['src/output/bad.ts', "import * as jq from 'jq-wasm'", 'noRestrictedImports'],
  ['src/api/bad.ts', "import { parse } from 'graphql'", 'noRestrictedImports'],
  ['src/commands/bad.ts', "import { createHandler } from 'graphql-http'", 'noRestrictedImports'],
  [
    'src/sandbox/bad.ts',
    "import { openSqliteStore } from '../service/store/sqlite/sqlite-store.ts'",
    'noRestrictedImports',
  ],
  ['src/bad.ts', "const store = await import('./service/store/sqlite/sqlite-store.ts')", 'noRestrictedImports'],
  ['src/service/bad.ts', "import { openDatabase } from './store/sqlite/open-database.ts'", 'noRestrictedImports'],
  ['src/commands/serve/bad.ts', "import { DatabaseSync } from 'node:sqlite'", 'noRestrictedImports'],
  ['src/core/bad.ts', 'export const pid = process.pid', 'noRestrictedGlobals'],
  ['src/core/bad.ts', "export { EXIT } from './exit.ts'", 'noBarrelFile'],
  ['src/core/bad.ts', 'export default 1', 'noDefaultExport'],
]

const folder = mkdtempSync(join(tmpdir(), 'crm-boundaries-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Where each bad file stands: the folder decides which boundary applies. */
const paths = BAD.map(([file], index) => file.replace('bad.ts', `bad-${index}.ts`))
const good = 'src/api/good.ts'

function lint(): Map<string, string[]> {
  cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
  for (const [index, [, code]] of BAD.entries()) write(paths[index] ?? '', code)
  write(good, "import { EXIT } from '../core/exit.ts'\n\nexport const done = EXIT.ok")
  const args = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.']
  const { stdout } = spawnSync(process.execPath, [BIOME, ...args], { cwd: folder, encoding: 'utf8' })
  const found = new Map<string, string[]>()
  for (const { category, location } of JSON.parse(stdout).diagnostics) {
    const path = typeof location.path === 'string' ? location.path : location.path.file
    found.set(path, [...(found.get(path) ?? []), category])
  }
  return found
}

function write(path: string, code: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), `${code}\n`)
}

const diagnostics = lint()

test.each(BAD.map(([file, code, rule], index) => ({ file, code, rule, path: paths[index] ?? '' })))(
  '$file may not hold: $code',
  ({ rule, path }) => {
    expect(diagnostics.get(path)?.join(' ')).toContain(rule)
  },
)

test('a file that keeps the boundaries passes, so that the failures above say something', () => {
  expect(diagnostics.get(good)).toBeUndefined()
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
