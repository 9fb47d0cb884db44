import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { newKey, startService } from '../harness/service.ts'
import { testWithService } from '../harness/shared-service.ts'
import { CRM, startCrm } from './crm.ts'

/** The oldest contact, on the last page, has a key that no other has. */
const test = testWithService(async (cleanUp) => {
  const service = await startService(['--rate-limit', 'none'], cleanUp)
  await make(service, '/v1/contacts', [{ name: 'first', zodiac: 'leo' }])
  await make(
    service,
    '/v1/contacts',
    Array.from({ length: 550 }, (_, at) => ({ name: `n, ${at}`, email: `${at}@x.test` })),
  )
  await make(service, '/v1/deals', [
    { name: 'Engines', stage: 'Lead', amount: 12.5 },
    { name: 'Looms', stage: 'Won' },
  ])
  return service
})

describe('an export', () => {
  test('to a file is the whole list, in the format of its ending, with a column for every key', async ({ service }) => {
    const folder = tempFolder()
    const list = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], service.env))
    for (const format of ['json', 'jsonl', 'csv', 'tsv', 'yaml']) {
      const path = join(folder, `all.${format}`)
      const run = await crm(['contacts', 'export', path], service.env)
      expect(run).toEqual({ exit: 0, stdout: '', stderr: `551 contacts in ${path}\n` })
    }
    expect(JSON.parse(readFileSync(join(folder, 'all.json'), 'utf8'))).toEqual(list)
    const lines = readFileSync(join(folder, 'all.csv'), 'utf8').split('\r\n')
    expect([lines.length, lines[0]]).toEqual([
      553,
      'id,name,email,phone,company,owner_id,company_id,created_at,updated_at,version,zodiac',
    ])
    expect(lines[551]).toMatch(/,first,.*,1,leo$/)
    expect(lines[1]).toMatch(/,"n, 549",549@x.test,.*,1,$/)
    expect(readdirSync(folder)).toHaveLength(5)
  })

  test('of deals takes filters, fields and conditions', async ({ service }) => {
    const path = join(tempFolder(), 'deals.csv')
    await crmPrints(['deals', 'export', path, '--filter', 'stage=Lead', '--fields', 'name,amount', '-q'], service.env)
    expect(readFileSync(path, 'utf8')).toBe('name,amount\r\nEngines,12.5\r\n')
    await crmPrints(['deals', 'export', path, '--where', '.amount == null', '--fields', 'name'], service.env)
    expect(readFileSync(path, 'utf8')).toBe('name\r\nLooms\r\n')
  })

  test('to stdout needs a format, and is exit 3 when a column is missing', async ({ service }) => {
    const refused = await crm(['contacts', 'export', '-'], service.env)
    expect(refused).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('"-" does not name a format'),
    })
    expect((await crm(['contacts', 'export', '-', '-o', 'jsonl'], service.env)).stdout.split('\n')).toHaveLength(552)
    const csv = await crm(['contacts', 'export', '-', '-o', 'csv'], service.env)
    expect(csv).toMatchObject({ exit: 3, stderr: expect.stringContaining('some values have no column') })
  })

  test('that the server breaks off leaves the existing file', async () => {
    let pages = 0
    const { url } = await startServer((response) => {
      pages++
      if (pages > 1) response.writeHead(200).end('{"data":[{"id":')
      else sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: 'x', has_more: true })
    })
    const folder = tempFolder()
    const path = join(folder, 'all.csv')
    writeFileSync(path, 'before')
    const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() })
    expect((await crm(['contacts', 'export', path], env)).exit).toBe(7)
    expect(readFileSync(path, 'utf8')).toBe('before')
    expect(readdirSync(folder)).toEqual(['all.csv'])
  })

  test('that is interrupted leaves nothing, and is exit 130', async () => {
    const folder = tempFolder()
    let isSecond = false
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { url } = await startServer((response) => {
      if (isSecond) reach()
      else sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: 'x', has_more: true })
      isSecond = true
    })
    const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() })
    const path = join(folder, 'all.csv')
    const child = startCrm(['contacts', 'export', path], env)
    await reached
    expect(readdirSync(folder)).toHaveLength(1)
    child.kill('SIGINT')
    expect(await child.done).toEqual({
      exit: 130,
      stderr: `crm: interrupted; nothing was written to ${path}\n  crm contacts export ${path}\n`,
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test('that does not fit on the disk is exit 13, and leaves nothing', async ({ service }) => {
    const folder = tempFolder()
    const script = 'ulimit -f 8 && exec "$0" "$@"'
    const args = ['-c', script, process.execPath, CRM, 'contacts', 'export', join(folder, 'all.json')]
    const child = spawn('bash', args, { env: service.env })
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ status, stderr }).toEqual({
      status: 13,
      stderr: `crm: cannot use ${join(folder, 'all.json')}: it would exceed the limit on the size of files\n  raise the limit, and try again: ulimit -f unlimited\n`,
    })
    expect(readdirSync(folder)).toEqual([])
  })
})
