import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseProxy } from '../../src/api/transport/proxy.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { listen, sendJson, startTcpServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'
import { makeSelfSignedCertificate } from './self-signed-certificate.ts'
import { startWebProxy } from './web-proxy.ts'

const TARGET = new URL('https://crm.example.com')
const PROXY = { https_proxy: 'http://proxy.example:3128' }

test.each<[string, Record<string, string>, string | undefined]>([
  ['https://crm.example.com', { HTTPS_PROXY: 'http://upper.example' }, 'upper.example'],
  [
    'https://crm.example.com',
    { HTTPS_PROXY: 'http://upper.example', https_proxy: 'lower.example:8080' },
    'lower.example:8080',
  ],
  ['https://crm.example.com', { HTTP_PROXY: 'http://proxy.example' }, undefined],
  ['http://crm.example.com', { ...PROXY, http_proxy: 'http://proxy.example' }, undefined],
  ['https://localhost:8443', PROXY, undefined],
  ['https://127.0.0.1', PROXY, undefined],
  ['https://[::1]', PROXY, undefined],
  ['https://crm.example.com', { HTTPS_PROXY: '' }, undefined],
  ['https://crm.example.com', {}, undefined],
])('%s with %j goes through %s', (target, env, host) => {
  expect(chooseProxy(new URL(target), env)?.url.host).toBe(host)
})

test.each([
  ['*', true],
  ['example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['CRM.Example.Com.', true],
  ['other.example, crm.example.com:443', true],
  ['crm.example.com:8443', false],
  ['ample.com', false],
  ['crm.example.com.evil.example', false],
  [', ,', false],
])('NO_PROXY=%s exempts the host: %s', (list, isExempt) => {
  expect(chooseProxy(TARGET, { ...PROXY, NO_PROXY: list }) === undefined).toBe(isExempt)
})

test.each(['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443'])('NO_PROXY=%s exempts the address', (list) => {
  expect(chooseProxy(new URL('https://[2001:db8::1]'), { ...PROXY, no_proxy: list })).toBeUndefined()
  expect(chooseProxy(new URL('https://[2001:db8::2]'), { ...PROXY, no_proxy: list })).toBeDefined()
})

test.each(['socks5://me:secret@proxy.example', 'http://', 'me:secret@', 'http://me:secret@:x'])(
  'a proxy that cannot be used is refused by the name of its variable, and its password is not shown',
  (text) => {
    const refused = () => chooseProxy(TARGET, { HTTPS_PROXY: text })
    expect(refused).toThrow(expect.objectContaining({ code: 'invalid_input' }))
    expect(refused).toThrow('HTTPS_PROXY')
    expect(refused).not.toThrow('secret')
  },
)

/** A server for `crm.test` that no one but the holder of the certificate file trusts. */
async function startTlsServer() {
  const certificate = makeSelfSignedCertificate('crm.test')
  const keys: unknown[] = []
  const server = createServer(certificate, (request, response) => {
    request.resume()
    keys.push(request.headers.authorization)
    sendJson(response, 201, { id: 'con_1' })
  })
  const authorities = join(await tempFolder(), 'authorities.pem')
  await writeFile(authorities, certificate.cert)
  return { url: await listen(server), authorities, keys }
}

test('https goes through the proxy by CONNECT, with its credentials, and the key never reaches it', async () => {
  const { url, authorities, keys } = await startTlsServer()
  const proxy = await startWebProxy(url)
  const env = { SSL_CERT_FILE: authorities, HTTPS_PROXY: `http://me:p%40ss%FF%@${proxy.url.host}` }
  const { api, debugLines } = openClient(new URL(`https://crm.test:${url.port}`), { env })
  await api.contacts.create({}, NO_KEY)
  await api.contacts.create({}, NO_KEY)
  expect(keys).toEqual(Array(2).fill('Bearer crm_key_of_the_test'))
  expect(proxy.openRequests).toEqual([])
  for (const { target } of proxy.tunnels) expect(target).toBe(`crm.test:${url.port}`)
  const { headers, passed } = proxy.tunnels[0] ?? expect.fail('no tunnel')
  expect(headers['proxy-authorization']).toBe(`Basic ${Buffer.from('me:p@ss\xff%', 'latin1').toString('base64')}`)
  expect(headers).not.toHaveProperty('authorization')
  expect(passed().toString('latin1')).not.toContain('crm_key_of_the_test')
  expect(debugLines.join()).not.toContain('p@ss')
})

test('without its certificate a server behind a proxy is not trusted', async () => {
  const { url } = await startTlsServer()
  const proxy = await startWebProxy(url)
  const { api } = openClient(new URL(`https://crm.test:${url.port}`), { env: { https_proxy: proxy.url.href } })
  const error = await failureOf(api.contacts.create({}, NO_KEY))
  expect(error.message).toContain('self-signed')
})

test.each([
  ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'requires a valid user and password (407)'],
  ['HTTP/1.1 403 Forbidden\r\n\r\n', 'refuses the connection (403)'],
  ['SSH-2.0-OpenSSH_9.9\r\n\r\n', 'does not speak HTTP'],
  ['', 'closed the connection'],
])('a proxy that answers %j is named as what is in the way, without its password', async (answer, reason) => {
  const proxy = await startWebProxy(TARGET, answer)
  const env = { HTTPS_PROXY: `http://me:secret@${proxy.url.host}` }
  const error = await failureOf(openClient(TARGET, { env, maxWaitMs: 0 }).api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('unreachable')
  expect(error.message).toBe(`cannot create the contact: the proxy ${proxy.url.host} ${reason}`)
  expect(error.details.hint).toBe('HTTPS_PROXY names the proxy; NO_PROXY=crm.example.com bypasses it')
  expect(error.details.idempotencyKey).toBeUndefined()
})

test('a proxy that is not there is named', async () => {
  const env = { HTTPS_PROXY: 'http://127.0.0.1:1' }
  const error = await failureOf(openClient(TARGET, { env, maxWaitMs: 0 }).api.contacts.create({}, NO_KEY))
  expect(error.message).toContain('the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED)')
})

test('close ends a tunnel that does not come about', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { host } = await startTcpServer((socket) => void socket.once('data', () => ask()))
  const env = { HTTPS_PROXY: `http://${host}` }
  const { api } = openClient(TARGET, { env })
  const failure = failureOf(api.contacts.create({}, NO_KEY))
  await asked
  const startedMs = Date.now()
  await api.close()
  await failure
  expect(Date.now() - startedMs).toBeLessThan(5000)
})
