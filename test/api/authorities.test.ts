import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../files/temp-folder.ts'
import { listen, sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'
import { makeSelfSignedCertificate } from './self-signed-certificate.ts'

async function fileWith(text: string): Promise<string> {
  const path = join(await tempFolder(), 'authorities.pem')
  await writeFile(path, text)
  return path
}

test('a server is trusted whose certificate is in SSL_CERT_FILE, and no other', async () => {
  const certificate = makeSelfSignedCertificate('localhost')
  const { port } = await listen(createServer(certificate, (_request, response) => sendJson(response, 201, { id: '1' })))
  const url = new URL(`https://localhost:${port}`)
  const ours = openClient(url, { env: { SSL_CERT_FILE: await fileWith(certificate.cert) } })
  await expect(ours.api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: '1' })
  const others = openClient(url, {
    env: { SSL_CERT_FILE: await fileWith(makeSelfSignedCertificate('localhost').cert) },
  })
  expect((await failureOf(others.api.contacts.create({}, NO_KEY))).message).toContain('self-signed')
})

test.each([
  ['', /contains no certificate$/],
  ['-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n', /contains no readable certificate$/],
])('a file that holds %j is named, and nothing is sent', async (text, message) => {
  const { url, seen } = await startServer((response) => sendJson(response, 201, {}))
  const { api } = openClient(new URL(`https://${url.host}`), { env: { SSL_CERT_FILE: await fileWith(text) } })
  const error = await failureOf(api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('machine')
  expect(error.message).toMatch(message)
  expect(seen).toEqual([])
})

test('a file that is not there is named, and plain http does not need it', async () => {
  const { url } = await startServer((response) => sendJson(response, 201, { id: '1' }))
  const env = { SSL_CERT_FILE: '/nowhere/authorities.pem' }
  const error = await failureOf(openClient(new URL(`https://${url.host}`), { env }).api.contacts.create({}, NO_KEY))
  expect(error.message).toBe('SSL_CERT_FILE: /nowhere/authorities.pem does not exist')
  await expect(openClient(url, { env }).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: '1' })
})
