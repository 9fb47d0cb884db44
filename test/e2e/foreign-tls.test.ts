import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listen, sendJson } from '../api/answering-server.ts'
import { makeSelfSignedCertificate } from '../api/self-signed-certificate.ts'
import { startWebProxy } from '../api/web-proxy.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'
import { crm, crmPrints } from './crm.ts'

async function startTls(name: string) {
  const certificate = makeSelfSignedCertificate(name)
  const server = createServer(certificate, (_request, response) =>
    sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: null }),
  )
  const authorities = join(tempFolder(), 'authorities.pem')
  writeFileSync(authorities, certificate.cert)
  const url = new URL(`https://${name}:${(await listen(server)).port}`)
  return { url, authorities, env: emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() }) }
}

test('a self-signed server is refused with a hint, and that hint works', async () => {
  const { url, authorities, env } = await startTls('localhost')
  const refused = await crm(['contacts', 'list'], env)
  expect(refused.exit).toBe(9)
  expect(refused.stderr).toMatch(new RegExp(`certificate of ${url.host} is self-signed\n  .*SSL_CERT_FILE=FILE`))
  for (const name of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']) {
    expect(await crmPrints(['contacts', 'list', '-o', 'id'], { ...env, [name]: authorities })).toBe('con_1\n')
  }
})

test('a proxy leads to the server and sees neither the key nor its own password on our stderr', async () => {
  const { url, authorities, env } = await startTls('crm.test')
  const proxy = await startWebProxy(new URL(`http://127.0.0.1:${url.port}`))
  const HTTPS_PROXY = `http://me:proxy-password@${proxy.url.host}`
  const proxied = { ...env, SSL_CERT_FILE: authorities, HTTPS_PROXY }
  const { exit, stdout, stderr } = await crm(['contacts', 'list', '-o', 'id', '--debug'], proxied)
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'con_1\n' })
  expect(proxy.tunnels.length).toBeGreaterThan(0)
  for (const tunnel of proxy.tunnels) expect(tunnel.passed().toString('latin1')).not.toContain(env.CRM_API_KEY)
  expect(stderr).not.toContain('proxy-password')

  const gone = await crm(['contacts', 'list', '--max-wait', '0s'], {
    ...proxied,
    HTTPS_PROXY: 'http://me:proxy-password@127.0.0.1:1',
  })
  expect(gone).toMatchObject({ exit: 9, stdout: '' })
  expect(gone.stderr).toContain('the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED)')
  expect(gone.stderr).not.toContain('proxy-password')
})
