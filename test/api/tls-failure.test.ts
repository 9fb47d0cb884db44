import { createServer } from 'node:https'
import { describe, expect, test } from 'vitest'
import { explainTls } from '../../src/api/errors/network-failure.ts'
import { listen, sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY } from './client-fixture.ts'
import { makeSelfSignedCertificate } from './self-signed-certificate.ts'
import { TRANSPORTS } from './transports.ts'

describe.each(TRANSPORTS)('over $over', ({ openClient }) => {
  test('a self-signed certificate is named as the reason, once, and nothing was sent', async () => {
    let requests = 0
    const server = createServer(makeSelfSignedCertificate('localhost'), (_request, response) => {
      requests += 1
      response.end('{}')
    })
    const { port } = await listen(server)
    const { api, waits } = openClient(new URL(`https://localhost:${port}`))
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('unreachable')
    expect(error.message).toBe(`cannot create the contact: the certificate of localhost:${port} is self-signed`)
    expect(error.details.hint).toContain('SSL_CERT_FILE=FILE')
    expect(error.details.hint).toContain('NODE_EXTRA_CA_CERTS=FILE')
    expect(error.details.idempotencyKey).toBeUndefined()
    expect(waits).toEqual([])
    expect(requests).toBe(0)
  })

  test('a server that speaks plain HTTP instead of TLS is reported as such', async () => {
    const { url } = await startServer((response) => sendJson(response, 201, {}))
    const { api, waits } = openClient(new URL(`https://${url.host}`))
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.message).toBe(`cannot create the contact: ${url.host} does not speak TLS`)
    expect(error.details.hint).toBe(`is it http://${url.host}?`)
    expect(waits).toEqual([])
  })
})

test.each([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another name'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'signed by an unknown authority'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'no TLS connection'],
])('%s is explained', (code, reason) => {
  const place = { name: 'crm.example.com:443', url: new URL('https://crm.example.com') }
  expect(explainTls(code, place)?.reason).toContain(reason)
})

test('an error that is not about TLS is left to others', () => {
  const place = { name: 'crm.example.com:443', url: new URL('https://crm.example.com') }
  expect(explainTls('ERR_INVALID_ARG_TYPE', place)).toBeUndefined()
})
