import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { readAddress } from '../../../../src/service/store/postgres/address.ts'
import { tempFolder } from '../../../harness/home.ts'
import { type Cluster, type ServerSettings, startCluster } from '../../../harness/postgres/cluster.ts'
import { administer, createDatabase, prepareServer } from '../../../harness/postgres/databases.ts'
import { findPrograms } from '../../../harness/postgres/programs.ts'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

async function clusterWith(settings: ServerSettings): Promise<{ cluster: Cluster; address: string }> {
  const cluster = await startCluster(settings)
  onTestFinished(cluster.remove)
  return { cluster, address: await createDatabase(await prepareServer(cluster), 'prepared') }
}

/** Opens a store with parameters of the address; how many of its connections are encrypted, and how many are not. */
async function connections(cluster: Cluster, address: string, parameters: Readonly<Record<string, string>>) {
  const url = new URL(address)
  const { host = url.hostname, ...others } = parameters
  url.hostname = host
  for (const [name, value] of Object.entries(others)) url.searchParams.set(name, value)
  const store = await openStore({ address: url.href, now: Date.now })
  const { rows } = await administer(
    cluster,
    `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'crm'`,
  )
  await store.close()
  return [...new Set(rows.map(({ ssl }) => (ssl ? 'encrypted' : 'plain')))]
}

const ASKING = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

describe('a database with a certificate', () => {
  test('of an unknown authority is refused in each mode, and of a known one taken', { timeout: 120_000 }, async () => {
    const { authority, settings } = certify('DNS:localhost,IP:127.0.0.1')
    const { cluster, address } = await clusterWith(settings)
    for (const sslmode of ASKING) {
      const refused = await connections(cluster, address, { sslmode }).catch((error: unknown) => error)
      expect(refused).toMatchObject({
        code: 'machine',
        message: expect.stringMatching(/^database postgres:\/\/crm@127.*has a certificate that cannot be verified$/),
        details: { hint: 'name the file of the authority that signed it: ?sslrootcert=FILE' },
      })
      for (const host of ['localhost', '127.0.0.1']) {
        expect(await connections(cluster, address, { host, sslmode, sslrootcert: authority })).toEqual(['encrypted'])
      }
    }
    expect(await connections(cluster, address, { sslmode: 'no-verify' })).toEqual(['encrypted'])
    expect(await connections(cluster, address, { sslmode: 'disable' })).toEqual(['plain'])
    expect(await connections(cluster, address, {})).toEqual(['plain'])
  })

  test('of another name is refused, except by verify-ca', async () => {
    const { authority, settings } = certify('DNS:db.example,IP:127.0.0.2')
    const { cluster, address } = await clusterWith(settings)
    for (const host of ['localhost', '127.0.0.1']) {
      const parameters = { host, sslrootcert: authority }
      for (const sslmode of ['require', 'verify-full']) {
        await expect(connections(cluster, address, { ...parameters, sslmode })).rejects.toThrow(
          'has a certificate of another name: db.example, 127.0.0.2',
        )
      }
      expect(await connections(cluster, address, { ...parameters, sslmode: 'verify-ca' })).toEqual(['encrypted'])
    }
    await expect(connections(cluster, address, { sslmode: 'verify-ca' })).rejects.toThrow('cannot be verified')
  })
})

test('a database that does not encrypt is refused in each mode but disable', async () => {
  const { cluster, address } = await clusterWith({})
  for (const sslmode of ASKING) {
    const refused = await connections(cluster, address, { sslmode }).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'machine',
      message: expect.stringContaining('does not encrypt connections'),
      details: { hint: expect.stringContaining('?sslmode=disable') },
    })
  }
})

test('without sslmode, a database on another machine is verified, and one on this machine is not encrypted', () => {
  const encryptionOf = (host: string, query = '') => readAddress(`postgres://crm@${host}/crm${query}`, {}).ssl
  for (const host of ['db.example', '10.0.0.1', '[2001:db8::1]']) {
    expect(encryptionOf(host)).toEqual({ rejectUnauthorized: true })
    expect(encryptionOf(host)).toEqual(encryptionOf(host, '?sslmode=verify-full'))
  }
  for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(encryptionOf(host)).toBe(false)
  const { authority } = certify('DNS:localhost')
  expect(encryptionOf('localhost', `?sslrootcert=${authority}`)).toMatchObject({ rejectUnauthorized: true })
})

test('a file of an authority that is none is a failure that names what to check', async () => {
  const { settings } = certify('DNS:localhost')
  const { cluster, address } = await clusterWith(settings)
  const refused = connections(cluster, address, { sslmode: 'require', sslrootcert: '/dev/null' })
  await expect(refused).rejects.toThrow('the file /dev/null has no certificate in PEM')
})

test('a certificate that has expired is named as such', async () => {
  const { authority, settings } = certify('IP:127.0.0.1', -1)
  const { cluster, address } = await clusterWith(settings)
  const refused = connections(cluster, address, { sslrootcert: authority })
  await expect(refused).rejects.toThrow('has a certificate that has expired')
})

test('a key that does not fit its certificate is refused before a connection is made, and one alone, too', () => {
  const [one, other] = [certify('IP:127.0.0.1'), certify('IP:127.0.0.1')]
  const read = (parameters: Readonly<Record<string, string>>) =>
    readAddress(`postgres://crm@db.example/crm?${new URLSearchParams(parameters)}`, {})
  const [sslcert, sslkey] = [String(one.settings.ssl_cert_file), String(other.settings.ssl_key_file)]
  expect(() => read({ sslcert, sslkey })).toThrow(`the certificate ${sslcert} and the key ${sslkey} cannot be used`)
  expect(() => read({ sslcert })).toThrow('needs its private key')
  expect(read({ sslcert, sslkey: String(one.settings.ssl_key_file) }).ssl).toMatchObject({ rejectUnauthorized: true })
})

test('a database that admits encrypted connections alone says so', async () => {
  const { settings } = certify('IP:127.0.0.1')
  const { cluster, address } = await clusterWith(settings)
  const rules = String((await administer(cluster, 'SHOW hba_file')).rows[0]?.hba_file)
  writeFileSync(rules, readFileSync(rules, 'utf8').replace(/^host\b/gm, 'hostssl'))
  await administer(cluster, 'SELECT pg_reload_conf()')
  await vi.waitFor(() => expect(connections(cluster, address, {})).rejects.toThrow('pg_hba.conf'))
  await expect(connections(cluster, address, {})).rejects.toMatchObject({
    message: expect.stringContaining(
      'has no line in pg_hba.conf for this user, database and machine without encryption',
    ),
    details: { hint: expect.stringContaining('?sslmode=verify-full') },
  })
})

interface Certified {
  /** The file of the authority. */
  readonly authority: string
  /** With which a server encrypts. */
  readonly settings: ServerSettings
}

/** A certificate for a server, for example of `DNS:db.example`, by an authority made for it; -1 day has passed. */
function certify(names: string, days = 2): Certified {
  const folder = tempFolder()
  const file = (name: string): string => join(folder, name)
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  openssl('req', '-x509', ...KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority of a test')
  openssl('req', ...KEY, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server of a test')
  writeFileSync(file('names'), `subjectAltName=${names}\n`)
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', `${days}`]
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signed)
  const { user } = findPrograms()
  // The server runs as another user than root.
  chmodSync(folder, 0o755)
  chmodSync(file('server.key'), 0o600)
  if (user) chownSync(file('server.key'), user.uid, user.gid)
  return {
    authority: file('ca.pem'),
    settings: { ssl: 'on', ssl_cert_file: file('server.pem'), ssl_key_file: file('server.key') },
  }
}
