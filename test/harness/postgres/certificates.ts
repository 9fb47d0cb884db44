import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../home.ts'
import type { ServerSettings } from './cluster.ts'
import { findPrograms } from './programs.ts'

export interface Certified {
  /** The file of the authority. */
  readonly authority: string
  /** With which a server encrypts. */
  readonly settings: ServerSettings
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

/** A certificate for a server, for example of `DNS:db.example`, by an authority made for it; -1 day has passed. */
export function certify(names: string, days = 2): Certified {
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
