import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeKeySources } from '../../src/settings/key-sources.ts'
import { settingsFixture } from './settings-fixture.ts'

const origin = 'http://127.0.0.1:4243'
const config = { active: 'local', profiles: { local: { base_url: origin } } }
const stored = { local: { origin, key: 'crm_key_0123456789abcdef' } }

test('the source in use and the shadowed sources are listed without the keys', async () => {
  const { settings, folder } = await settingsFixture(config, stored)
  const env = { CRM_API_KEY: 'crm_key_9876543210fedcba' }
  const sources = await describeKeySources(settings, { env, profileFlag: undefined, keyFromFlag: undefined })
  expect(sources).toEqual({
    profileName: 'local',
    winner: { source: 'CRM_API_KEY', keptIn: undefined, origin: undefined, lastFour: 'dcba' },
    shadowed: [{ source: 'file', keptIn: join(folder, 'keys.json'), origin }],
  })
})

test('no character of a short key is shown', async () => {
  const { settings } = await settingsFixture(config, { local: { origin, key: 'short-key' } })
  const sources = await describeKeySources(settings, { env: {}, profileFlag: undefined, keyFromFlag: undefined })
  expect(sources.winner).toMatchObject({ source: 'file', lastFour: undefined })
})

test('without profile and key there is no source', async () => {
  const { settings } = await settingsFixture()
  const request = { env: {}, profileFlag: undefined, keyFromFlag: undefined }
  expect(await describeKeySources(settings, request)).toEqual({
    profileName: undefined,
    winner: undefined,
    shadowed: [],
  })
})

test('the order is flag, variable, command, keyring, file; what is shadowed is not run', async () => {
  const profile = { base_url: origin, key_command: '/nonexistent/never-run' }
  const both = { local: { origin, keyring: 'local x', key: 'crm_key_0123456789abcdef' } }
  const { settings } = await settingsFixture({ active: 'local', profiles: { local: profile } }, both)
  const keyFromFlag = { value: 'crm_key_from_a_file1', source: '--key-file' }
  const request = { env: { CRM_API_KEY: 'crm_key_9876543210fedcba' }, profileFlag: undefined, keyFromFlag }
  const { winner, shadowed } = await describeKeySources(settings, request)
  expect([winner, ...shadowed].map((place) => place?.source)).toEqual([
    '--key-file',
    'CRM_API_KEY',
    'key_command',
    'keyring',
    'file',
  ])
})
