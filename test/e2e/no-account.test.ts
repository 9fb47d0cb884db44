import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../harness/home.ts'
import { CRM } from './crm.ts'
import { startService } from './service.ts'

/** A user id without an account, as containers are run with; only root can take one. */
const UID = 54_321
const FIXTURES = 'version: 1\ncontacts: { a: { name: A } }\n'

/** Runs a copy of crm that this user may read, in the folder. */
function copyFor(folder: string) {
  const copy = join(folder, 'crm')
  cpSync(join(dirname(CRM), '../dist/cli'), join(copy, 'dist/cli'), { recursive: true })
  cpSync(dirname(CRM), join(copy, 'bin'), { recursive: true })
  for (const name of ['connectors', 'package.json'])
    cpSync(join(dirname(CRM), '..', name), join(copy, name), { recursive: true })
  spawnSync('chmod', ['-R', 'a+rX', copy])
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  chmodSync(temporary, 0o1777)
  return (given: Record<string, string>) => {
    const env = { PATH: process.env.PATH ?? '', TMPDIR: temporary, ...given }
    const options = { cwd: folder, env, uid: UID, gid: UID, encoding: 'utf8' } as const
    return (...args: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [join(copy, 'bin/crm.js'), ...args], options)
      return { status, stderr }
    }
  }
}

describe.skipIf(process.getuid?.() !== 0)('a user id without an account and without HOME (skipped unless root)', () => {
  test('reads, writes and takes back what an earlier command made', async () => {
    const service = await startService()
    const folder = tempFolder()
    const temporary = join(folder, 'tmp')
    spawnSync('chmod', ['-R', 'a+rwX', folder])
    writeFileSync(join(folder, 'demo.yaml'), FIXTURES, { mode: 0o644 })
    const { CRM_API_KEY = '', CRM_BASE_URL = '' } = service.env
    const copy = copyFor(folder)
    const run = copy({ CRM_API_KEY, CRM_BASE_URL })
    for (const args of [['contacts', 'list'], ['contacts', 'create', '--set', 'name=Ada'], ['doctor'], ['snapshot']]) {
      const { status, stderr } = run(...args)
      expect(status, stderr).toBe(0)
    }
    const applied = run('fixtures', 'apply', 'demo.yaml', '--run-id', 'x')
    expect(applied.status, applied.stderr).toBe(0)
    expect(applied.stderr.match(/finds them again/g)).toHaveLength(1)
    expect(readdirSync(temporary)).toEqual([`crm-state-${UID}`])
    const destroyed = run('fixtures', 'destroy', 'demo.yaml', '--run-id', 'x')
    expect(destroyed.stderr).toContain('1 deleted')
    writeFileSync(join(folder, 'key'), CRM_API_KEY, { mode: 0o600 })
    chownSync(join(folder, 'key'), UID, UID)
    const login = copy({ CRM_CONFIG_HOME: join(temporary, 'c') })(
      'auth',
      'login',
      '--base-url',
      CRM_BASE_URL,
      '--key-file',
      'key',
      '--storage',
      'file',
    )
    expect(login).toMatchObject({ status: 13, stderr: expect.stringContaining('this user has no home folder') })
  })

  test.each(['a home of another user', 'a home that is a file', 'a cache that may not be entered'])(
    'works without a word with %s',
    async (kind) => {
      const { env: given } = await startService()
      const folder = tempFolder()
      const home = join(folder, 'home')
      if (kind === 'a home that is a file') writeFileSync(home, '')
      else mkdirSync(home, { mode: 0o700 })
      if (kind.startsWith('a cache')) {
        mkdirSync(join(home, '.cache'))
        chownSync(home, UID, UID)
        chmodSync(join(home, '.cache'), 0)
      }
      chmodSync(folder, 0o755)
      writeFileSync(join(folder, 'demo.yaml'), FIXTURES, { mode: 0o644 })
      const { CRM_API_KEY = '', CRM_BASE_URL = '' } = given
      const run = copyFor(folder)({ HOME: home, CRM_API_KEY, CRM_BASE_URL })
      expect(run('sandbox', 'run', '--', 'true')).toEqual({ status: 0, stderr: '' })
      expect(run('sandbox', 'run', '--', 'sh', '-c', 'exit 4')).toEqual({ status: 4, stderr: '' })
      for (const verb of ['validate', 'apply', 'status', 'destroy']) {
        const runId = verb === 'validate' ? [] : ['--run-id', 'x']
        expect(run('fixtures', verb, 'demo.yaml', '-q', ...runId)).toEqual({ status: 0, stderr: '' })
      }
    },
  )

  test('a home of another user may have a profile: where one is needed, the error names the home', async () => {
    const folder = tempFolder()
    const home = join(folder, 'home')
    const settings = join(home, '.config/crm')
    mkdirSync(settings, { recursive: true, mode: 0o700 })
    chmodSync(home, 0o700)
    const profile = { base_url: 'http://127.0.0.1:1' }
    writeFileSync(join(settings, 'config.json'), JSON.stringify({ active: 'own', profiles: { own: profile } }))
    chmodSync(folder, 0o755)
    const run = copyFor(folder)({ HOME: home })
    const refused = {
      status: 13,
      stderr: `crm: cannot use ${home}: permission denied\n  see who may use it: ls -ld ${home}\n`,
    }
    for (const line of [
      'contacts list',
      'contacts list -p own',
      'config list',
      'config set protected true',
      'config set protected true -p own',
      'auth status --all',
      'auth logout --all',
      'doctor',
      'jobs list',
      'jobs show job_0sc9pwqn400',
    ]) {
      expect({ line, ...run(...line.split(' ')) }).toEqual({ line, ...refused })
    }
    expect(run('sandbox', 'run', '--', 'true')).toEqual({ status: 0, stderr: '' })
  })
})
