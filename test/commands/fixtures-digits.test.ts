import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'

const BIG = '12345678901234567890'

test('an export of fixtures keeps the digits of numbers, and applied to the same server it changes nothing', async () => {
  const writes: string[] = []
  const { url } = await startServer((response, { method, path }) => {
    if (/^(?:POST|PATCH|DELETE) \/v1\/(?:contacts|deals)/.test(`${method} ${path}`)) writes.push(path)
    if (path.startsWith('/v1/contacts')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"data":[{"id":"c1","name":"Ada","email":"ada@x.test","ref":${BIG}}],"has_more":false}`)
    } else if (path.startsWith('/v1/deals')) sendJson(response, 200, { data: [], has_more: false })
    else sendJson(response, 404, { message: 'not here' })
  })
  const env = { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() }
  const exported = await crm(['fixtures', 'export', '--with', 'contacts'], env)
  expect(exported.stdout).toContain(`    ref: ${BIG}\n`)
  const file = join(tempFolder(), 'demo.yaml')
  writeFileSync(file, exported.stdout.replace('contact_1:\n', 'contact_1:\n    $match: email\n'))
  expect(await crm(['fixtures', 'apply', file, '--run-id', 'r1', '-q'], env)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('unchanged'),
  })
  expect(writes).toEqual([])
})
