import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { onTestFinished } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import type { Service } from '../harness/service.ts'
import { startAuthorization, startGate, type Terms } from './authorization-server.ts'

interface At {
  /** The lines of the connector that say where the authorization server is. */
  readonly addresses?: ((url: string) => string) | undefined
  /** Of each answer of the CRM. */
  readonly delayMs?: number
}

const allAddresses = (url: string) => `    authorize: ${url}/auth
    token: ${url}/token
    revoke: ${url}/token/revocation
    issuer: ${url}`

/** A CRM that takes tokens alone, and a HOME with its connector. */
export async function openAuthorized(start: () => Promise<Service>, terms: Terms, at: At = {}) {
  const { addresses = allAddresses, delayMs = 0 } = at
  const service = await start()
  const authorization = await startAuthorization(terms, onTestFinished)
  const gate = await startGate(authorization, { ...service, delayMs }, onTestFinished)
  const env = emptyHome()
  const file = (name: string, text: string) => {
    const path = join(env.HOME, name)
    writeFileSync(path, text)
    return path
  }
  const connector = file(
    'own.yaml',
    `connector: 2
name: own
extends: crm
auth:
  in: bearer
  oauth:
${addresses(authorization.url)}
    scopes: [crm.read, crm.write]
    flows: [code, client_credentials, jwt]
    keys: false
idempotency: { life: 1s }
`,
  )
  const anywhere = ['auth', 'login', '--connector', connector, '--base-url', gate.url, '-p', 'own']
  const kept = () => readFileSync(join(env.HOME, '.config/crm/keys.json'), 'utf8')
  return { service, authorization, gate, env, file, anywhere, login: [...anywhere, '--storage', 'file'], kept }
}

/** Every file below a folder that has a text. */
export function filesWith(folder: string, marked: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return paths.filter((path) => readFileSync(path).includes(marked)).map((path) => relative(folder, path))
}
