import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { shippedConnector, shippedNames } from '../../src/connector/shipped.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { crm, startCrm } from './crm.ts'
import { newSecretFile } from './listening.ts'
import { loadedBy, partsIn } from './loaded-modules.ts'
import { test } from './shared-service.ts'

const PACKAGES = [
  '@commander-js/extra-typings',
  'cli-table3',
  'commander',
  'conf',
  'ink',
  'graphql',
  'prom-client',
  'react',
  'undici',
  'yaml',
  'yoga-layout',
  'zod',
] as const

/** The heavy packages and modules that a command loaded. */
function heavy(parts: readonly string[]): string[] {
  const watched = new Set<string>([...PACKAGES, 'src/api', 'src/service', 'src/program.ts'])
  return parts.filter((part) => watched.has(part))
}

function othersThan(known: readonly string[], parts: readonly string[]): string[] {
  return parts.filter((part) => !part.startsWith('src/') && !known.includes(part))
}

describe('no command loads what it does not use', () => {
  test('--version loads nothing but the launcher', async () => {
    const { exit, stdout, parts } = await loadedBy(['--version'], emptyHome())
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^crm \d+\.\d+\.\d+\n$/)
    expect(parts).toEqual([])
  })

  for (const args of [
    ['--help'],
    ['contacts', 'list', '--help'],
    ['zebra'],
    ['contacts', 'lits', '--help'],
    ['contacts', 'list', '--nix'],
  ]) {
    test(`${args.join(' ')} loads no package but commander, and no heavy module`, async () => {
      const { parts } = await loadedBy(args, emptyHome())
      expect(heavy(parts)).toEqual(['commander', 'src/program.ts'])
      expect(othersThan(['commander'], parts)).toEqual([])
    })
  }

  test('contacts list -o json loads the client, and neither undici nor tables nor YAML nor the service', async ({
    service,
  }) => {
    const { exit, parts } = await loadedBy(['contacts', 'list', '-o', 'json'], service.env)
    expect(exit).toBe(0)
    expect(heavy(parts)).toEqual(['commander', 'src/api', 'src/program.ts'])
    expect(othersThan(['commander'], parts)).toEqual([])
  })

  test('a shipped connector is what the build compiled of its YAML, which is not read again', async () => {
    for (const name of shippedNames()) {
      const { stdout, parts } = await loadedBy(['connectors', 'show', name, '-o', 'json'], emptyHome())
      expect(heavy(parts)).toEqual(['commander', 'src/api', 'src/program.ts'])
      expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(await shippedConnector(name))))
    }
  })

  // Commander loads child_process, for programs that it could start.
  test('neither help nor a Tab nor a list over plain http loads crypto or TLS', async ({ service }) => {
    const preload = fileURLToPath(new URL('builtins-preload.ts', import.meta.url))
    const env = { ...service.env, NODE_OPTIONS: `--import ${preload}` }
    const commands: [loaded: string, ...args: string[]][] = [
      ['NativeModule child_process', '--help'],
      ['', '__complete', 'fish', 'contacts', 'get', ''],
      ['NativeModule child_process, NativeModule http', 'contacts', 'list', '-o', 'json', '-q'],
    ]
    for (const [loaded, ...args] of commands) {
      expect((await crm(args, env)).stderr).toBe(`loaded: ${loaded}\n`)
    }
  })

  test('a list that streams as a table loads no cli-table3; one record and a list that is whole do', async ({
    service,
  }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const list = await loadedBy(['contacts', 'list'], service.env)
    expect(list.stdout).toContain('Ada')
    expect(heavy(list.parts)).toEqual(['commander', 'src/api', 'src/program.ts'])
    const get = await loadedBy(['contacts', 'get', id], service.env)
    expect(heavy(get.parts)).toEqual(['cli-table3', 'commander', 'src/api', 'src/program.ts'])
    const summary = await loadedBy(['deals', 'list', '--summary', 'stage_id'], service.env)
    expect(heavy(summary.parts)).toEqual(heavy(get.parts))
  })

  test('contacts create from flags loads no YAML, and --dry-run no client', async ({ service }) => {
    const args = ['contacts', 'create', '--set', 'name=Ada', '-o', 'json']
    const { parts } = await loadedBy(args, service.env)
    expect(heavy(parts)).toEqual(['commander', 'src/api', 'src/program.ts'])
    const dry = await loadedBy([...args, '--dry-run'], service.env)
    expect(heavy(dry.parts)).toEqual(['commander', 'src/program.ts'])
  })

  test('config path loads no client, and auth token no more of it than the connector', async ({ service }) => {
    const path = await loadedBy(['config', 'path'], service.env)
    expect(path.exit).toBe(0)
    expect(heavy(path.parts)).toEqual(['commander', 'src/program.ts'])
    const token = await loadedBy(['auth', 'token'], service.env)
    expect(token.exit).toBe(0)
    expect(heavy(token.parts)).toEqual(['commander', 'src/api', 'src/program.ts'])
  })

  test('listen loads the receiver, and neither screens nor the service', async ({ service }) => {
    const coverage = tempFolder()
    const { args } = newSecretFile()
    const child = startCrm(['listen', '--port', '0', '-o', 'jsonl', ...args], {
      ...service.env,
      NODE_V8_COVERAGE: coverage,
    })
    child.stdout.once('data', () => child.kill('SIGTERM'))
    await child.done
    const parts = partsIn(coverage)
    expect(parts).toContain('src/webhooks')
    for (const part of ['ink', 'react', 'yoga-layout', 'src/ui', 'src/service', 'undici']) {
      expect(parts).not.toContain(part)
    }
  })

  test('a sandbox loads the service, and neither TLS nor HTTP/2', async () => {
    const preload = fileURLToPath(new URL('builtins-preload.ts', import.meta.url))
    const env = emptyHome({ NODE_OPTIONS: `--import ${preload}` })
    const { exit, stderr, parts } = await loadedBy(['sandbox', 'run', '--', 'true'], env)
    expect(exit).toBe(0)
    expect(stderr).toBe('loaded: NativeModule child_process, NativeModule crypto, NativeModule http\n')
    expect(parts).toContain('src/service')
    for (const part of ['undici', 'src/api']) expect(parts).not.toContain(part)
  })

  test('serve and serve keys list load the service, and no client', async () => {
    const home = emptyHome({ NODE_V8_COVERAGE: tempFolder() })
    const child = startCrm(['serve', '--port', '0', '--ready-json'], home)
    child.stdout.once('data', () => child.kill('SIGTERM'))
    expect(await child.done).toMatchObject({ exit: 0 })
    const served = heavy(partsIn(home.NODE_V8_COVERAGE ?? ''))
    expect(served).toContain('src/service')
    for (const part of ['undici', 'cli-table3', 'yaml', 'graphql', 'prom-client', 'src/api'])
      expect(served).not.toContain(part)

    const { exit, parts } = await loadedBy(['serve', 'keys', 'list', '-o', 'json'], home)
    expect(exit).toBe(0)
    expect(heavy(parts)).toEqual(['commander', 'src/program.ts', 'src/service'])
    expect(othersThan(['commander'], parts)).toEqual([])
  })
})
