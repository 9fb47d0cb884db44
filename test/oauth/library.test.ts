import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { ClientOptions } from '../../src/library/client-types.ts'
import { createClient } from '../../src/library/create-client.ts'
import { emptyHome } from '../harness/home.ts'
import { test } from '../harness/shared-service.ts'
import { startGate } from './authorization-server.ts'

// The build sets it.
vi.stubGlobal('CRM_VERSION', '0.0.0')

const ROWS = 60

test('the library asks for a token before each request, and once more for a refused one, also in a job', async ({
  service,
}) => {
  let valid = 'token-1'
  let held = 'token-1'
  const refusals: string[] = []
  const gate = await startGate({ isValid: async (token) => token === valid }, service, onTestFinished)
  const clientOf = (options: Partial<ClientOptions>) => {
    const client = createClient({ baseUrl: gate.url, env: emptyHome(), maxWaitMs: 5000, ...options })
    onTestFinished(() => client.close())
    return client
  }
  const client = clientOf({
    accessToken: async (refused) => {
      if (refused !== undefined) refusals.push(refused)
      if (refused === held) held = valid
      return held
    },
  })
  async function* people() {
    for (let at = 1; at <= ROWS; at++) yield { name: `P${at}`, email: `p${at}@tokens.test` }
  }
  const onProgress = ({ done }: { readonly done: number }) => {
    if (done >= ROWS / 2) valid = 'token-2'
  }
  const imported = await client.jobs.importRows('contacts', people(), { runId: 'tokens', concurrency: 1, onProgress })
  expect(imported).toMatchObject({ rows: ROWS, done: ROWS })
  expect([[...gate.tokens], refusals]).toEqual([['token-1', 'token-2'], ['token-1']])
  const echoed = await client.request('GET', '/v1/echo').catch((error: unknown) => error)
  expect(String(echoed)).not.toContain('token-2')

  const refused = clientOf({ accessToken: async () => 'token-0' })
  await expect(refused.contacts.get('con_1')).rejects.toMatchObject({ code: 'unauthorized' })
  const failing = clientOf({ accessToken: () => Promise.reject(new RangeError('the vault is locked')) })
  await expect(failing.contacts.get('con_1')).rejects.toThrow(RangeError)
  const wrong = clientOf({ accessToken: async () => 'two words' })
  await expect(wrong.contacts.get('con_1')).rejects.toMatchObject({ code: 'invalid_input' })
  expect(() => clientOf({ apiKey: service.key, accessToken: async () => 'x' })).toThrow('accessToken')
  const file = join(emptyHome().HOME ?? '', 'by-query.yaml')
  writeFileSync(file, 'connector: 2\nname: by-query\nextends: crm\nauth: { in: query, name: key }\n')
  const byQuery = clientOf({ connector: file, accessToken: async () => 'x' })
  await expect(byQuery.contacts.get('1')).rejects.toThrow(/by-query\S* sends the key as a parameter/)
  expect(gate.tokens.size).toBe(2)
})
