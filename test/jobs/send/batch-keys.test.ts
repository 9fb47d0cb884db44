import { expect, onTestFinished, test } from 'vitest'
import { openConnector } from '../../../src/api/connectors/open-connector.ts'
import { createSender } from '../../../src/api/writes/sender.ts'
import { SERVER_TERMS } from '../../api/client-fixture.ts'
import { startHubSpot } from '../../connectors/emulators/hubspot.ts'
import { keysOf, makeJob, sendJob } from '../job-fixture.ts'

test('two rows with one key never share a batch', async () => {
  const batches: string[][] = []
  await using emulator = await startHubSpot({
    faults: ({ path, body }) => {
      if (!path.endsWith('/batch/upsert') || body.type !== 'json') return undefined
      const { inputs } = body.value as { readonly inputs: readonly { readonly id: string }[] }
      batches.push(inputs.map(({ id }) => id))
      return undefined
    },
  })
  const baseUrl = new URL(`${emulator.url}/crm/v3`)
  const sender = createSender({
    ...{ baseUrl, key: emulator.key, terms: { ...SERVER_TERMS, idempotency: 'none' }, connections: 1 },
    connector: await openConnector({ name: 'hubspot', variables: {} }, { baseUrl }),
    ...{ timeoutMs: 5000, userAgent: 'crm/0.0.0', now: Date.now, debug: undefined },
  })
  onTestFinished(() => sender.close())
  const emails = ['ada@x.test', 'bob@x.test', 'ADA@x.test', 'cleo@x.test']
  const rows = emails.map((email, n) => ({ name: `Row ${n}`, email }))
  const paths = await makeJob(rows, 'contacts', '/v1/contacts', { upsert: 'email' })
  const { outcome } = await sendJob(paths, baseUrl, { services: { sender }, terms: { keys: keysOf('none') } })
  expect(outcome.account).toMatchObject({ done: 4, failed: 0, in_doubt: 0 })
  expect(batches).toEqual([['ada@x.test', 'bob@x.test', 'cleo@x.test'], ['ada@x.test']])
  expect(emulator.records('contacts')).toHaveLength(3)
})
