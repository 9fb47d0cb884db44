import { readFile } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import { readFault } from '../../settings/read-input.ts'

export interface Tls {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Both files or none; undefined is plain http. */
export async function readTls(files: { tlsCert?: string; tlsKey?: string }): Promise<Tls | undefined> {
  const { tlsCert, tlsKey } = files
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new CrmError('usage', 'https needs a certificate and its private key', {
      hint: 'give both --tls-cert FILE and --tls-key FILE',
    })
  }
  return { cert: await readPem(tlsCert, '--tls-cert'), key: await readPem(tlsKey, '--tls-key') }
}

async function readPem(path: string, flag: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new CrmError('invalid_input', `cannot read ${flag} ${path}: ${readFault(cause)}`, {
      cause,
      hint: 'name a PEM file that can be read',
    })
  }
}
