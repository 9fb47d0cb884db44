import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const ADA = { id: 'con_1', name: 'Ada' }
const DEAL = { id: 'deal_1', name: 'Engine', stage: 'Lead' }

/** A server that has the nine endpoints of the contract alone, and how it answers at any other path. */
async function nineEndpoints(json: object = { message: 'Not Found' }) {
  const { url, seen } = await startServer((response, { method, path }) => {
    const list = { '/v1/contacts': [ADA], '/v1/deals': [DEAL] }[path.replace(/\?.*/, '')]
    if (method === 'GET' && list) sendJson(response, 200, { data: list, has_more: false, next_cursor: null })
    else if (method === 'DELETE' && path === '/v1/contacts/con_1') response.writeHead(204).end()
    else sendJson(response, 404, json)
  })
  return { env: emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' }), seen }
}

test.each([
  [['contacts', 'get', 'con_1'], 'GET /v1/contacts/con_1'],
  [['deals', 'update', 'deal_1', '--set', 'name=Eve'], 'PATCH /v1/deals/deal_1'],
  [['deals', 'delete', 'deal_1', '--yes'], 'DELETE /v1/deals/deal_1'],
  [['pipelines', 'list'], 'GET /v1/pipelines'],
])('%j at a server with the contract alone names its connector', async (argv, route) => {
  const { env } = await nineEndpoints()
  const { exit, stderr } = await crm(argv, env)
  expect(exit).toBe(7)
  expect(stderr).toContain(
    `without a code at code: the server may lack ${route}, as it does if it has no more than the connector contract`,
  )
  expect(stderr).toContain('\n  export CRM_CONNECTOR=contract\n')
})

test('the line of a profile works as typed, and no record is taken for deleted where the request is missing', async () => {
  const { env, seen } = await nineEndpoints()
  const home = emptyHome()
  const login = [
    'auth',
    'login',
    '--connector',
    'crm',
    '--base-url',
    env.CRM_BASE_URL ?? '',
    '-p',
    'nine',
    '--storage',
    'file',
  ]
  expect((await crm([...login, '--key-stdin', '--no-verify'], home, 'k')).exit).toBe(0)
  const many = await crm(['deals', 'delete', '--where', 'true', '--yes', '--expect', '1', '-o', 'json'], home)
  expect([many.exit, JSON.parse(many.stdout)]).toEqual([7, expect.objectContaining({ done: 0, unsent: 1 })])
  const { stderr } = await crm(['contacts', 'get', 'con_1'], home)
  const [, line = ''] = /^ {2}crm (.+)$/m.exec(stderr) ?? []
  expect(line).toBe('config set connector contract -p nine')
  expect((await crm(line.split(' '), home)).exit).toBe(0)
  const asked = seen.length
  expect((await crm(['contacts', 'get', 'con_1', '-o', 'json'], home)).stdout).toContain('"Ada"')
  expect(seen.slice(asked).map(({ path }) => path.replace(/\?.*/, ''))).toEqual(['/v1/contacts'])
})

test('a record that is missing is one: by the code of the server, and by a request that the contract has', async () => {
  const coded = await nineEndpoints({ code: 'not_found', detail: 'there is no such record' })
  expect(await crm(['contacts', 'get', 'con_9'], coded.env)).toMatchObject({
    exit: 6,
    stderr: expect.not.stringContaining('contract'),
  })
  const { env } = await nineEndpoints()
  expect(await crm(['contacts', 'delete', 'con_9', '--yes'], env)).toMatchObject({
    exit: 6,
    stderr: expect.not.stringContaining('contract'),
  })
  const service = await serveForTest()
  const full = emptyHome({ CRM_BASE_URL: service.url, CRM_API_KEY: service.key.text })
  expect((await crm(['contacts', 'get', 'con_9'], full)).exit).toBe(6)
  await service.send('POST', '/v1/contacts', { name: 'Ada' })
  expect((await crm(['contacts', 'list', '-o', 'id'], { ...full, CRM_CONNECTOR: 'contract' })).exit).toBe(0)
  expect((await crm(['contacts', 'get', 'con_9'], { ...full, CRM_CONNECTOR: 'contract' })).exit).toBe(6)
})
