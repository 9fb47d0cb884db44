import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runKeyCommand } from '../../src/settings/key-command.ts'
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

const env = { PATH: process.env.PATH, CRM_API_KEY: 'another-key' }
const run = (command: string, timeoutMs?: number) => runKeyCommand(command, 'prod', env, timeoutMs)

test('the first line is the key, and the command runs without a shell', async () => {
  expect(await run(`printf 'the-key\\r\\nsecond'`)).toBe('the-key')
  expect(await run('echo $HOME;id')).toBe('$HOME;id')
})

test('the command gets neither CRM_API_KEY nor stdin', async () => {
  expect(await run(`sh -c 'cat; echo "<$CRM_API_KEY>"'`)).toBe('<>')
})

test.each([
  [`sh -c 'echo secret; echo "no entry" >&2; exit 7'`, 'sh, ended with exit 7: no entry'],
  ['/nonexistent/pass show', '/nonexistent/pass, cannot be run: no such program'],
  ['true', 'true, printed no key'],
  [`sh -c 'kill -9 $$'`, 'sh, ended with SIGKILL'],
])('%s does not count as a key', async (command, what) => {
  const message = `the key_command of profile prod, ${what}`
  await expect(run(command)).rejects.toMatchObject({ code: 'no_key', exit: 4, message })
})

test('a command that takes too long is killed, also when its child process lives on', async () => {
  const startMs = performance.now()
  const message = expect.stringContaining('took longer than 0.3 s')
  await expect(run(`sh -c 'sleep 5 & sleep 5'`, 300)).rejects.toMatchObject({ code: 'no_key', message })
  expect(performance.now() - startMs).toBeLessThan(4000)
})
