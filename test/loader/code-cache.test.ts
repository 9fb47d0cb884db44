import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { type CachingRuntime, openCodeCache } from '../../src/loader/code-cache.ts'
import { tempFolder } from '../harness/home.ts'

const SOURCE = '(function(){return 1})()'
const BUNDLE = {
  folder: '/crm',
  isCompiled: false,
  hasText: (name: string) => ['crm', 'crm.contacts', 'crm.contacts.list'].includes(name),
  readCode: () => SOURCE,
  readCompiled: () => undefined,
  loadModule: () => undefined,
}
const uid = process.geteuid?.() ?? 0

type Given = Partial<Pick<CachingRuntime, 'env' | 'argv' | 'geteuid'>> & {
  readonly exit?: number
  readonly build?: string
}

/** Runs a command that loads these chunks; the names of those whose code an earlier run kept and V8 accepted. */
function runWith(
  home: string,
  names: readonly string[],
  { exit = 0, build = 'b1', ...given }: Given = {},
): readonly string[] {
  let end: (exit: number) => void = () => {}
  const cache = openCodeCache(
    { bundle: BUNDLE, build },
    {
      version: process.version,
      platform: process.platform,
      arch: process.arch,
      argv: ['node', 'crm', 'contacts', 'list', '--limit', '1'],
      env: { HOME: home },
      geteuid: () => uid,
      on: (_event, listener) => {
        end = listener
      },
      ...given,
    },
  )
  const accepted = names.filter((name) => {
    const cachedData = cache?.bundle.readCompiled(name)
    const script = new Script(SOURCE, { filename: name, ...(cachedData && { cachedData }) })
    cache?.watch.onCompiled?.(name, script)
    script.runInThisContext()
    return script.cachedDataRejected === false
  })
  end(exit)
  return accepted
}

function keptFiles(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(home, path)).isFile())
}

/** A home in which `contacts list` has run once, and the file that it left. */
function homeWithCode(): { readonly home: string; readonly file: string; readonly folder: string } {
  const home = tempFolder()
  expect(runWith(home, ['main.js'])).toEqual([])
  const [path = ''] = keptFiles(home)
  return { home, file: join(home, path), folder: join(home, '.cache/crm') }
}

test('code is kept by a run that succeeds, for its owner alone, and the next run of the command uses it', () => {
  const { home, file, folder } = homeWithCode()
  expect(file).toMatch(/\/\.cache\/crm\/b1\/compiled-[^/]+\/contacts\.list$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(runWith(home, ['main.js'])).toEqual(['main.js'])
})

test('a run that loads more adds that to the file, and one that loads less leaves it', () => {
  const { home, file } = homeWithCode()
  expect(runWith(home, ['chunks/yaml.js'])).toEqual([])
  const both = readFileSync(file)
  expect(runWith(home, ['main.js'])).toEqual(['main.js'])
  expect(readFileSync(file).equals(both)).toBe(true)
  expect(runWith(home, ['main.js', 'chunks/yaml.js'])).toEqual(['main.js', 'chunks/yaml.js'])
})

test('each command has a file of its own, for which no word that names no command counts', () => {
  const home = tempFolder()
  for (const words of [
    ['contacts', 'list'],
    ['contacts', 'get', 'con_1'],
    ['__complete', 'fish', ''],
    ['-q', '../x'],
  ])
    runWith(home, ['main.js'], { argv: ['node', 'crm', ...words] })
  const names = keptFiles(home).map((path) => path.split('/').at(-1))
  expect(names.toSorted()).toEqual(['complete', 'contacts', 'contacts.list', 'crm'])
})

test.for<[string, (home: string) => Given]>([
  ['after a failure', () => ({ exit: 1 })],
  ['without HOME', () => ({ env: {} })],
  ['with a relative HOME', () => ({ env: { HOME: '.' } })],
  ['with NODE_DISABLE_COMPILE_CACHE', (home) => ({ env: { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' } })],
  ['in the home of another user, as with sudo', () => ({ geteuid: () => uid + 1 })],
])('nothing is kept %s', ([, given]) => {
  const home = tempFolder()
  expect(runWith(home, ['main.js'], given(home))).toEqual([])
  expect(readdirSync(home)).toEqual([])
})

test('XDG_CACHE_HOME names the folder', () => {
  const home = tempFolder()
  mkdirSync(join(home, 'cache'))
  runWith(home, ['main.js'], { env: { HOME: '/nonexistent', XDG_CACHE_HOME: join(home, 'cache') } })
  expect(existsSync(join(home, 'cache/crm/b1'))).toBe(true)
})

test('code of another user is not run', () => {
  const { home } = homeWithCode()
  expect(runWith(home, ['main.js'], { geteuid: () => uid + 1 })).toEqual([])
})

test('code in a folder or a file that others can write is not run', () => {
  const { home, file, folder } = homeWithCode()
  chmodSync(folder, 0o777)
  expect(runWith(home, ['main.js'], { exit: 1 })).toEqual([])
  chmodSync(folder, 0o700)
  chmodSync(file, 0o620)
  expect(runWith(home, ['main.js'], { exit: 1 })).toEqual([])
})

test('a link in place of the file is not followed', () => {
  const { home, file } = homeWithCode()
  renameSync(file, join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), file)
  expect(runWith(home, ['main.js'], { exit: 1 })).toEqual([])
})

test('a file that was cut short is made again', () => {
  const { home, file } = homeWithCode()
  for (const size of [statSync(file).size - 1, 10, 0]) {
    truncateSync(file, size)
    expect(runWith(home, ['main.js'])).toEqual([])
    expect(runWith(home, ['main.js'])).toEqual(['main.js'])
  }
})

test('code of another build is not used, and is removed when that one has made none for a month', () => {
  const { home, file, folder } = homeWithCode()
  expect(runWith(home, ['main.js'], { build: 'b2' })).toEqual([])
  expect(readdirSync(folder).toSorted()).toEqual(['b1', 'b2'])
  const monthAgo = new Date(Date.now() - 31 * 24 * 3_600_000)
  utimesSync(join(file, '..'), monthAgo, monthAgo)
  runWith(home, ['main.js'], { build: 'b3' })
  expect(readdirSync(folder).toSorted()).toEqual(['b2', 'b3'])
})
