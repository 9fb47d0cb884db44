import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { forgetEverywhere } from '../../src/settings/keep-key.ts'
import { openKeyring } from '../../src/settings/keyring/keyring.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { tempFolder } from '../files/temp-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/keyring.js', import.meta.url))
/** Of a session whose bus is not there; the binding finds out by itself. */
const session = { PATH: process.env.PATH, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' }

test('without a program there is no keyring', async () => {
  const refusal = { code: 'machine', message: expect.stringContaining('there is none') }
  await expect(openKeyring(session, undefined).read('a')).rejects.toMatchObject(refusal)
})

test('a package that is not installed is said as that', async () => {
  const program = join(await tempFolder(), 'keyring.mjs')
  copyFileSync(PROGRAM, program)
  const refusal = {
    code: 'machine',
    message: 'the system keyring cannot be used: its package @napi-rs/keyring is not installed',
  }
  await expect(openKeyring(session, program).read('a')).rejects.toMatchObject(refusal)
})

test('a program that ends with an error says its last line, and one that is over its time costs it once', async () => {
  const broken = openKeyring(session, '/nonexistent/keyring.js')
  await expect(broken.read('a')).rejects.toMatchObject({ code: 'machine' })
  const late = openKeyring(session, PROGRAM, 1)
  await expect(late.write('a', 'b')).rejects.toMatchObject({ message: expect.stringContaining('does not answer') })
  await expect(late.remove('a')).rejects.toMatchObject({ message: expect.stringContaining('did not answer before') })
})

test.skipIf(process.platform !== 'linux')('a bus that is not there is the reason that the binding gives', async () => {
  await expect(openKeyring(session, PROGRAM).read('a')).rejects.toMatchObject({ code: 'machine' })
})

test('a key is not called forgotten where the keyring cannot be asked', async () => {
  const settings = openSettings({ ...session, HOME: await tempFolder() }, '/nonexistent/keyring.js')
  const entry = { origin: 'https://crm.test', account: 'prod https://crm.test 000000' }
  await settings.storeKey('prod', entry)
  await expect(forgetEverywhere(settings, 'prod')).rejects.toMatchObject({ code: 'machine' })
  expect(await settings.keyringEntry('prod')).toEqual(entry)
})
