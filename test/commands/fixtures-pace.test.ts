import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'

const FILE = `version: 1
contacts:
  first: { $count: 150, email: "u\${i}@example.test", name: first }
  second: { $count: 150, email: "v\${i}@example.test", name: "after \${contacts.first[i].id}" }
`

// Of times of one run: a busy machine delays single requests.
test('a server that states no limit is asked slowly for the first records of an apply, and not again for those that refer to them', {
  retry: 3,
}, async () => {
  const timesMs: { first: number[]; second: number[] } = { first: [], second: [] }
  const { url } = await startServer((response, { method, path, body }, nth) => {
    if (!path.startsWith('/v1/contacts')) return sendJson(response, 404, { message: 'not here' })
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null, has_more: false })
    timesMs[JSON.parse(body).name === 'first' ? 'first' : 'second'].push(performance.now())
    sendJson(response, 201, { id: `r${nth}` })
  })
  const file = join(tempFolder(), 'pace.yaml')
  writeFileSync(file, FILE)
  const env = { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey(), CRM_CONNECTOR: 'contract' }
  expect(await crm(['fixtures', 'apply', file, '--run-id', 'r1', '-q'], env)).toMatchObject({ exit: 0 })
  const spanMs = (times: readonly number[]) => Math.max(...times) - Math.min(...times)
  expect([timesMs.first.length, timesMs.second.length]).toEqual([150, 150])
  expect(spanMs(timesMs.first)).toBeGreaterThan(600)
  expect(spanMs(timesMs.second)).toBeLessThan(0.75 * spanMs(timesMs.first))
})
