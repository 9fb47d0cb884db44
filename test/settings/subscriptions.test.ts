import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceListener, runningListeners } from '../../src/settings/running-listeners.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { tempFolder } from '../harness/home.ts'
import { settingsFixture } from './settings-fixture.ts'

const place = { origin: 'http://127.0.0.1:4243', url: 'http://127.0.0.1:4242/' }
const subscription = { id: 'wh_1', secret: 'whsec_c2VjcmV0' }

test('a subscription is kept in a private file, for its origin and address alone', async () => {
  const { settings, folder } = await settingsFixture()
  expect(await settings.subscription(place)).toBeUndefined()
  await settings.storeSubscription(place, subscription)
  expect(await openSettings({ CRM_CONFIG_HOME: folder }).subscription(place)).toEqual({
    ...subscription,
    olderSecrets: [],
  })
  expect(await settings.subscription({ ...place, url: 'http://127.0.0.1:4242/hook' })).toBeUndefined()
  expect(await settings.subscription({ ...place, origin: 'https://127.0.0.1:4243' })).toBeUndefined()
  expect((await stat(settings.paths().webhooks)).mode & 0o777).toBe(0o600)
})

test('a later subscription replaces an earlier one, whose secret is kept; other addresses are unchanged', async () => {
  const { settings } = await settingsFixture()
  const other = { ...place, url: 'http://127.0.0.1:4242/other' }
  await settings.storeSubscription(place, subscription)
  await settings.storeSubscription(other, { id: undefined, secret: 'a' })
  await settings.storeSubscription(place, { id: 'wh_2', secret: 'b' })
  expect(await settings.subscription(place)).toEqual({
    id: 'wh_2',
    secret: 'b',
    olderSecrets: [subscription.secret],
  })
  expect(await settings.subscription(other)).toEqual({ id: undefined, secret: 'a', olderSecrets: [] })
})

test('a subscription is found by id and by address, and ten older secrets are kept', async () => {
  const { settings } = await settingsFixture()
  for (let at = 0; at < 13; at++) await settings.storeSubscription(place, { id: `wh_${at}`, secret: `s${at}` })
  const kept = await settings.findSubscription({ id: 'wh_12' })
  expect(kept).toEqual(await settings.subscription(place))
  expect(await settings.findSubscription({ url: place.url })).toEqual(kept)
  expect(kept?.olderSecrets).toEqual(Array.from({ length: 10 }, (_, at) => `s${11 - at}`))
  expect(await settings.findSubscription({ id: 'wh_1' })).toBeUndefined()
})

test('a subscription is kept when the key is removed', async () => {
  const { settings } = await settingsFixture({ profiles: { local: { base_url: place.origin } } })
  await settings.storeKey('local', { origin: place.origin, key: 'k' })
  await settings.storeSubscription(place, subscription)
  await settings.removeProfile('local')
  expect(await settings.subscription(place)).toEqual({ ...subscription, olderSecrets: [] })
})

test('a file that others can read and a damaged file are rejected without showing the secret', async () => {
  const { settings, folder } = await settingsFixture()
  const path = join(folder, 'webhooks.json')
  await writeFile(path, JSON.stringify({ [place.origin]: { [place.url]: { key: 'hush' } } }), { mode: 0o600 })
  await expect(settings.subscription(place)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.not.stringContaining('hush'),
  })
  await chmod(path, 0o644)
  await expect(openSettings({ CRM_CONFIG_HOME: folder }).subscription(place)).rejects.toMatchObject({ code: 'machine' })
})

const LISTENER = {
  url: 'http://127.0.0.1:4242/',
  subscriptionId: 'wh_1',
  secretFile: undefined,
  forwards: ['http://localhost:3000/'],
}

test('a listener is found until it ends; one whose process is gone is not, and its file is removed', async () => {
  const env = { CRM_STATE_HOME: tempFolder() }
  expect(await runningListeners(env)).toEqual([])
  const announced = await announceListener(env, LISTENER)
  const folder = join(env.CRM_STATE_HOME, 'listeners')
  const gone = { owner: { pid: 2 ** 22 + 1, startedAtMs: 1, mark: '' }, ...LISTENER, url: 'http://127.0.0.1:1/' }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '9-1.json'), JSON.stringify(gone), { mode: 0o600 })
  expect(await runningListeners(env)).toEqual([LISTENER])
  await announced.end()
  expect([await runningListeners(env), readdirSync(folder)]).toEqual([[], []])
})
