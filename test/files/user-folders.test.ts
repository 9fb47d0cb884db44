import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { settingsFolder } from '../../src/files/folders.ts'

test.each([
  [{ CRM_CONFIG_HOME: '/c', XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/c'],
  [{ CRM_CONFIG_HOME: '', XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/x/crm'],
  [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/crm'],
  [{ XDG_CONFIG_HOME: '', HOME: '/h' }, '/h/.config/crm'],
  [{}, join(homedir(), '.config', 'crm')],
])('with %j the settings are in %s', (env, folder) => {
  expect(settingsFolder(env)).toBe(folder)
})

test('an empty HOME is the home of the account, not the working folder', () => {
  vi.stubEnv('HOME', '')
  expect(settingsFolder({ HOME: '' })).toBe(join(userInfo().homedir, '.config', 'crm'))
  vi.unstubAllEnvs()
})
