import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'

test('--expect names what would change in the singular and the plural', async () => {
  const { url } = await startServer((response) =>
    sendJson(response, 200, { data: [{ id: 'con_1', name: 'Ana' }], next_cursor: null }),
  )
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => `${JSON.stringify({ name: `P${n}` })}\n`).join('')
  const words = 'contacts import - --format jsonl --run-id one --yes --expect 5'.split(' ')
  expect((await crm(words, env, rows(1))).stderr).toContain('--expect 5, but 1 contact would change; nothing was sent')
  expect((await crm(words, env, rows(2))).stderr).toContain('--expect 5, but 2 contacts would change; nothing was sent')
})
