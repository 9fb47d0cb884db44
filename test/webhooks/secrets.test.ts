import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSecretFile, parseSecrets } from '../../src/webhooks/secrets.ts'
import { tempFolder } from '../files/temp-folder.ts'

const WHPK = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4='

test('there is one secret per line; surrounding blanks and empty lines are ignored', () => {
  expect(parseSecrets(` whsec_YQ==\r\n\n${WHPK}\n`, 'F')).toEqual(['whsec_YQ==', WHPK])
})

test.each([
  ['', 'F holds no secret'],
  [' \n \n', 'F holds no secret'],
  ['whsec_YQ==\nwhsk_YWJjZGVm', 'line 2 of F is a private key (whsk_); verification needs the public key (whpk_)'],
  ['the secret is abc', 'line 1 of F is not a signing secret'],
  ['{\n  "secret": "abc"\n}', 'line 1 of F is not a signing secret'],
  ['whsec_YQ==\nwhsec_no*base64', 'line 2 of F is not a signing secret'],
  ['short', 'line 1 of F is not a signing secret'],
  ['whpk_c2hvcnQ=', 'line 1 of F is not an ed25519 public key of 32 bytes'],
])('%j is refused without being quoted', (text, message) => {
  expect(() => parseSecrets(text, 'F')).toThrow(expect.objectContaining({ code: 'invalid_input', message }))
})

test('a new secret file is readable by its owner alone, and an existing file is unchanged', async () => {
  const path = join(await tempFolder(), 'secret')
  expect(await makeSecretFile(path)).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const text = await readFile(path, 'utf8')
  expect(parseSecrets(text, path)).toHaveLength(1)
  expect(await makeSecretFile(path)).toBe(false)
  expect(await readFile(path, 'utf8')).toBe(text)
})
