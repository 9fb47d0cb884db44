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
      response.end(
        `{"data":[{"id":"c1","name":"Ada","email":"ada@x.test","ref":${BIG}}],"next_cursor":null,"has_more":false}`,
      )
    } else if (path.startsWith('/v1/deals')) sendJson(response, 200, { data: [], next_cursor: null, has_more: false })
    else sendJson(response, 404, { message: 'not here' })
  })
  const env = { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey(), CRM_CONNECTOR: 'contract' }
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

test('numbers of env come out digit for digit, in the file, by --set, and out of a field', async () => {
  const { url } = await startServer((response, { method, path }) => {
    if (method === 'POST') sendJson(response, 201, { id: 'c1', name: 'A' })
    else if (/^\/v1\/(?:contacts|deals)/.test(path))
      sendJson(response, 200, { data: [], next_cursor: null, has_more: false })
    else sendJson(response, 404, { message: 'not here' })
  })
  const env = { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey(), CRM_CONNECTOR: 'contract' }
  const file = join(tempFolder(), 'demo.yaml')
  writeFileSync(
    file,
    `version: 1
extra_fields: { contacts: [ref] }
contacts: { a: { name: A, ref: ${BIG} } }
env: { ACCOUNT: 9007199254740993, RATE: 1.10, SMALL: -0, CODE: 0151, SET: 1, REF: "\${contacts.a.ref}", IN: "r\${contacts.a.ref}" }
`,
  )
  const set = ['--set', 'env.SET:=9007199254740993']
  const { exit, stdout } = await crm(['fixtures', 'apply', file, '-q', '--env-out', 'dotenv', ...set], env)
  expect({ exit, lines: stdout.trimEnd().split('\n') }).toEqual({
    exit: 0,
    lines: [
      ...['ACCOUNT=9007199254740993', 'RATE=1.10', 'SMALL=-0', 'CODE=0151', 'SET=9007199254740993'],
      ...[`REF=${BIG}`, `IN=r${BIG}`],
    ],
  })
})
