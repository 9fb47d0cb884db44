import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { forgetEverywhere } from '../../src/settings/keep-key.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { openKeyring } from '../../src/settings/stored-key.ts'
import { tempFolder } from '../files/temp-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/keyring.js', import.meta.url))
/** A session without a bus; the binding detects that itself. */
const session = { PATH: process.env.PATH, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' }

test('without a program there is no keyring', async () => {
  const refusal = { code: 'machine', message: expect.stringContaining('there is none') }
  await expect(openKeyring(session, undefined).read('a')).rejects.toMatchObject(refusal)
})

test('a missing package is reported as such', async () => {
  const program = join(await tempFolder(), 'keyring.cjs')
  copyFileSync(PROGRAM, program)
  const refusal = {
    code: 'machine',
    message: 'the system keyring cannot be used: its package is not installed: npm install -g @napi-rs/keyring',
  }
  await expect(openKeyring(session, program).read('a')).rejects.toMatchObject(refusal)
})

test('the last line of a failing program is reported, and a timeout applies once', async () => {
  const broken = openKeyring(session, '/nonexistent/keyring.js')
  await expect(broken.read('a')).rejects.toMatchObject({ code: 'machine' })
  const late = openKeyring(session, PROGRAM, 1)
  await expect(late.write('a', 'b')).rejects.toMatchObject({ message: expect.stringContaining('does not answer') })
  await expect(late.remove('a')).rejects.toMatchObject({
    message: expect.stringContaining('did not answer an earlier request'),
  })
})

test.skipIf(process.platform !== 'linux')('the binding reports a missing bus as the reason', async () => {
  await expect(openKeyring(session, PROGRAM).read('a')).rejects.toMatchObject({ code: 'machine' })
})

test('a key is not reported as forgotten when the keyring cannot be used', async () => {
  const settings = openSettings({ ...session, HOME: await tempFolder() }, '/nonexistent/keyring.js')
  const entry = { origin: 'https://crm.test', account: 'prod https://crm.test 000000' }
  await settings.storeKey('prod', entry)
  await expect(forgetEverywhere(settings, 'prod')).rejects.toMatchObject({ code: 'machine' })
  expect(await settings.keyringEntry('prod')).toEqual(entry)
})
