import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { CRM, emptyHome, tempFolder } from './crm.ts'
import { test } from './shared-service.ts'

/** With a umask that takes nothing away. */
function crmWide(args: readonly string[], env: NodeJS.ProcessEnv, input = '', cwd?: string) {
  const words = ['-c', 'umask 000; exec "$0" "$@"', process.execPath, CRM, ...args]
  return spawnSync('/bin/sh', words, { env, input, encoding: 'utf8', cwd })
}

test.skipIf(process.platform === 'win32')(
  'what crm keeps is for its owner alone, whatever the umask',
  ({ service }) => {
    const home = emptyHome()
    const login = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin']
    expect(crmWide(login, home, service.key).status).toBe(0)
    const file = join(home.HOME, 'people.csv')
    writeFileSync(file, 'name\nAda\n')
    expect(crmWide(['contacts', 'import', file], home).status).toBe(0)
    expect(crmWide(['contacts', 'get', 'con_none'], home).status).toBe(6)

    const folders = [join(home.HOME, '.config/crm'), join(home.HOME, '.local/state/crm')]
    const paths = folders.flatMap((folder) => [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ])
    expect(paths.length).toBeGreaterThan(6)
    expect(paths.filter((path) => statSync(path).mode & 0o077)).toEqual([])
  },
)

test('nothing is loaded from the working folder, whatever lies there', ({ service }) => {
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
