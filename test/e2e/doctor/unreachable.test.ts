import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { listen, sendJson, startServer, startTcpServer } from '../../api/answering-server.ts'
import { makeSelfSignedCertificate } from '../../api/self-signed-certificate.ts'
import { startWebProxy } from '../../api/web-proxy.ts'
import { crm } from '../../harness/crm.ts'
import { freePort } from '../../harness/free-port.ts'
import { type Env, emptyHome, tempFolder } from '../../harness/home.ts'
import { newKey } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'
import { examined } from './examined.ts'

const envFor = (address: string): Env => emptyHome({ CRM_BASE_URL: address, CRM_API_KEY: newKey() })

test('a dead port is 9, with the command that starts a service there, after one request', async () => {
  const port = await freePort()
  const { exit, states, seen, stderr } = await examined(envFor(`http://127.0.0.1:${port}`))
  expect(exit).toBe(9)
  expect(states).toMatchObject({ reach: 'fail', key: 'unknown', records: 'unknown' })
  expect(seen('reach')).toContain(`127.0.0.1:${port} refuses connections`)
  expect(stderr).toContain(`crm serve --port ${port}`)
})

test('a name without an address is 9, and named', async () => {
  const { exit, states, seen } = await examined(envFor('https://no-such-host.invalid'))
  expect(exit).toBe(9)
  expect(states).toMatchObject({ reach: 'fail', tls: 'unknown' })
  expect(seen('reach')).toContain('no-such-host.invalid')
})

test('a server that accepts connections and says nothing is waited for once', async () => {
  const url = await startTcpServer(() => {})
  const startedMs = performance.now()
  const { exit, states, seen } = await examined(envFor(url.origin), '--timeout', '1s')
  expect(exit).toBe(9)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect(states).toMatchObject({ reach: 'ok', records: 'fail', paging: 'unknown' })
  expect(seen('records')).toContain('did not answer in full within 1 s')
})

test('Ctrl-C ends a diagnosis with 130', async () => {
  let heard: () => void = () => {}
  const asked = new Promise<void>((resolve) => {
    heard = resolve
  })
  const url = await startTcpServer((socket) => void socket.once('data', heard))
  const child = startCrm(['doctor'], envFor(url.origin))
  await asked
  child.kill('SIGINT')
  expect(await child.done).toMatchObject({ exit: 130 })
})

test('a web site is 7, with the text of its page', async () => {
  const { url } = await startServer((response) => response.end('<!doctype html><title>Welcome to nginx!</title>'))
  const { exit, states, seen } = await examined(envFor(url.origin))
  expect(exit).toBe(7)
  expect(states).toMatchObject({ reach: 'ok', key: 'unknown', records: 'fail', paging: 'unknown' })
  expect(seen('records')).toContain('the server sent an HTML page instead of JSON: "Welcome to nginx!"')
})

test('an address without the endpoint is 6, and questions the address', async () => {
  const { url } = await startServer((response) => sendJson(response, 404, { message: 'no such path' }))
  const { exit, stderr } = await examined(envFor(url.origin))
  expect(exit).toBe(6)
  expect(stderr).toContain('is the address right?')
  expect(stderr).toContain('the server may not be crm serve, whose refusals have a code')
})

test.each([401, 403])(
  'a %d without a code may be one of a stranger; one with a code is about the key alone',
  async (status) => {
    let body: JsonObject = { message: 'who are you?' }
    const { url } = await startServer((response) => sendJson(response, status, body))
    const { stderr } = await examined(envFor(url.origin))
    const probe = `for another CRM: crm connectors create --probe ${url.origin} --out mycrm.yaml`
    expect(stderr).toContain(`the server may not be crm serve, whose refusals have a code; ${probe}`)
    body = { code: 'unauthorized', detail: 'this key is unknown' }
    expect((await examined(envFor(url.origin))).stderr).not.toContain('crm serve')
    body = {}
    const home = emptyHome()
    const set = ['config', 'set', 'base_url', url.origin, '-p', 'lab']
    expect((await crm(set, home)).exit).toBe(0)
    const key = ['doctor', '-p', 'lab', '--key-stdin']
    expect((await crm(key, home, 'key_of_the_test')).stderr).toContain(`--probe ${url.origin} -p lab --out mycrm.yaml`)
  },
)

test('the hint for an address that ends in /v1 names it without /v1', async () => {
  const { url } = await startServer((response) => sendJson(response, 404, { message: 'no such path' }))
  const { exit, stderr } = await examined(envFor(`${url.origin}/api/v1`))
  expect({ exit, stderr }).toMatchObject({ exit: 6, stderr: expect.stringContaining(`base_url ${url.origin}/api -p`) })
})

test('a server that refuses with 429 is 8, and is asked nothing more', async () => {
  const { url, seen } = await startServer((response) =>
    sendJson(response, 429, { message: 'slow down' }, { 'retry-after': '120' }),
  )
  expect(await examined(envFor(url.origin))).toMatchObject({ exit: 8, states: { records: 'fail' } })
  expect(seen).toHaveLength(1)
})

async function startTls(name: string) {
  const certificate = makeSelfSignedCertificate(name)
  const server = createServer(certificate, (_request, response) =>
    sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: null }),
  )
  const authorities = join(tempFolder(), 'authorities.pem')
  writeFileSync(authorities, certificate.cert)
  const url = new URL(`https://${name}:${(await listen(server)).port}`)
  return { url, authorities }
}

test('a certificate that is not trusted is 9, and shown without a request', async () => {
  const { url, authorities } = await startTls('localhost')
  const env = envFor(url.origin)
  const refused = await examined(env)
  expect(refused.exit).toBe(9)
  expect(refused.states).toMatchObject({ reach: 'ok', tls: 'fail', records: 'unknown' })
  expect(refused.seen('tls')).toMatch(/is self-signed; it is for localhost, by localhost, valid until 2049-12-31$/)

  const trusted = await examined({ ...env, SSL_CERT_FILE: authorities })
  expect(trusted.states).toMatchObject({ tls: 'ok', records: 'ok' })
  expect(trusted.seen('tls')).toBe('TLSv1.3, for localhost, by localhost, valid until 2049-12-31')
})

test('the way through a proxy is examined, and the proxy is named', async () => {
  const { url, authorities } = await startTls('crm.test')
  const proxy = await startWebProxy(new URL(`http://127.0.0.1:${url.port}`))
  const HTTPS_PROXY = `http://me:proxy-password@${proxy.url.host}`
  const { states, seen, stderr } = await examined({ ...envFor(url.origin), SSL_CERT_FILE: authorities, HTTPS_PROXY })
  expect(states).toMatchObject({ reach: 'ok', tls: 'ok', records: 'ok' })
  expect(seen('reach')).toContain(`connected through the proxy ${proxy.url.host} in`)
  expect(stderr + JSON.stringify(states)).not.toContain('proxy-password')
})

test('plain http to a TLS server suggests https', async () => {
  const { url } = await startTls('localhost')
  const { stderr } = await examined(envFor(`http://${url.host}`))
  expect(stderr).toContain(`is it https://${url.host}?`)
})

test('the next window of a small limit is waited for', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    nth === 3
      ? sendJson(response, 429, { message: 'slow down' }, { 'retry-after': '1' })
      : sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: null }),
  )
  expect(await examined(envFor(url.origin))).toMatchObject({ exit: 0, states: { paging: 'ok' } })
  expect(seen).toHaveLength(7)
})
