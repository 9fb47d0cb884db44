import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { HAS_PROVIDER, SECRET, startAuthorization, startGate } from '../oauth/authorization-server.ts'
import { crmPrints } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const TOKEN_S = 2

test.skipIf(!HAS_TMUX || !HAS_PROVIDER)(
  'the screens go on with new tokens, and name the command that signs in when there are none (skipped without tmux, or npm ci in tools/judges)',
  async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada Lovelace' }])
    const authorization = await startAuthorization({ tokenSeconds: TOKEN_S }, onTestFinished)
    const gate = await startGate(authorization, service, onTestFinished)
    const env = emptyHome()
    const file = join(env.HOME ?? '', 'own.yaml')
    const oauth = `{ issuer: ${authorization.url}, flows: [client_credentials] }`
    writeFileSync(file, `connector: 2\nname: own\nextends: crm\nauth: { in: bearer, oauth: ${oauth} }\n`)
    const client = { ...env, CRM_CLIENT_ID: 'crm', CRM_CLIENT_SECRET: SECRET }
    const words = ['auth', 'login', '--connector', file, '--base-url', gate.url, '--storage', 'file']
    await crmPrints([...words, '--flow', 'client_credentials'], client)

    const terminal = openTerminal(['browse', 'contacts'], env, { columns: 120, rows: 40 })
    await terminal.sees('Ada Lovelace')
    for (const name of ['Grace Hopper', 'Hedy Lamarr']) {
      await new Promise((resolve) => setTimeout(resolve, TOKEN_S * 1000 + 100))
      const before = gate.tokens.size
      await make(service, '/v1/contacts', [{ name }])
      terminal.type('r')
      await terminal.sees(name)
      expect(gate.tokens.size).toBe(before + 1)
    }
    // On a busy machine a token may end between its check and its arrival.
    expect(gate.refused()).toBeLessThanOrEqual(2)

    await new Promise((resolve) => setTimeout(resolve, TOKEN_S * 1000 + 100))
    authorization.answers = () => ({ status: 400, body: '{"error":"invalid_client"}' })
    terminal.type('r')
    expect(await terminal.sees(/crm auth login/)).toContain('Hedy Lamarr')
  },
)
