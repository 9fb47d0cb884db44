import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { CRM } from './crm.ts'
import { test } from './shared-service.ts'

function crmUnder(umask: string, args: readonly string[], env: NodeJS.ProcessEnv, input = '') {
  const words = ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, CRM, ...args]
  return spawnSync('/bin/sh', words, { env, input, encoding: 'utf8' })
}

/** What takes nothing away, and what takes the folders from their owner too. */
const UMASKS = ['000', '177']

test.skipIf(process.platform === 'win32').for(UMASKS)(
  'what crm keeps is for its owner alone with umask %s, and so is every folder that it makes',
  (umask, { service }) => {
    const crmHere = (args: readonly string[], input?: string) => crmUnder(umask, args, home, input)
    const home = emptyHome()
    const login = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin']
    expect(crmHere(login, service.key).status).toBe(0)
    const file = join(home.HOME, 'people.csv')
    writeFileSync(file, 'name\nAda\n')
    expect(crmHere(['contacts', 'import', file, '--again']).status).toBe(0)
    expect(crmHere(['contacts', 'get', 'con_none']).status).toBe(6)

    const made = readdirSync(home.HOME, { recursive: true, withFileTypes: true }).filter(
      ({ name }) => name !== 'people.csv',
    )
    expect(made.length).toBeGreaterThan(8)
    const modes = made.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path} ${(statSync(path).mode & 0o777).toString(8)} ${entry.isDirectory() ? 'folder' : 'file'}`
    })
    expect(modes.filter((mode) => !/ (?:700 folder|600 file)$/.test(mode))).toEqual([])
  },
)

test('nothing is loaded from the working folder', ({ service }) => {
  const folder = tempFolder()
  const mark = join(folder, 'was-loaded')
  const evil = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`
  for (const name of ['@napi-rs/keyring', 'commander', 'undici', 'conf', 'ink']) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'index.js'), evil)
  }
  for (const name of ['.env', '.npmrc', '.crmrc', 'crm.config.js'])
    writeFileSync(join(folder, name), 'CRM_BASE_URL=http://127.0.0.1:9')
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' }
  const login = ['auth', 'login', '--base-url', service.url, '--key-stdin', '--no-input']
  const asked = spawnSync(process.execPath, [CRM, ...login], {
    env: { ...emptyHome(), ...bus },
    input: service.key,
    encoding: 'utf8',
    cwd: folder,
  })
  expect(asked).toMatchObject({ status: 11, stderr: expect.stringContaining('the system keyring cannot be used') })
  const list = spawnSync(process.execPath, [CRM, 'contacts', 'list', '-o', 'id'], { env: service.env, cwd: folder })
  expect(list.status).toBe(0)
  expect(readdirSync(folder)).not.toContain('was-loaded')
})
