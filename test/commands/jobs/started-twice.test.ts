import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { startProxy } from '../../harness/proxy.ts'
import { serveForTest } from '../../service/serve-for-test.ts'

test('two starts of one import at the same moment create each row once', async () => {
  const file = join(tempFolder(), 'people.csv')
  const emails = Array.from({ length: 20 }, (_, at) => `p${at}@x.test`)
  writeFileSync(file, `email\n${emails.join('\n')}\n`)
  const stored: object[] = []
  const bothRead = Promise.withResolvers<void>()
  let lists = 0
  const { url } = await startServer(async (response, { method, body }) => {
    if (method === 'POST') {
      stored.push({ id: `c${stored.length + 1}`, ...JSON.parse(body) })
      return sendJson(response, 201, stored.at(-1))
    }
    const data = [...stored]
    lists += 1
    if (lists === 2) bothRead.resolve()
    await bothRead.promise
    sendJson(response, 200, { data, next_cursor: null })
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'crm_key_of_the_test' })
  const args = ['contacts', 'import', file, '--match', 'email', '--yes', '-o', 'json']
  const runs = await Promise.all([crm(args, env), crm(args, env)])
  expect(stored).toHaveLength(emails.length)
  const refused = runs.filter(({ exit }) => exit !== 0)
  expect(refused).toHaveLength(1)
  expect(refused[0]?.stderr).toMatch(/job_\w+ was started meanwhile by another process/)
})

test('two retries of one job at the same moment create each row once', async () => {
  const file = join(tempFolder(), 'people.csv')
  writeFileSync(file, 'email\na@x.test\nb@x.test\n')
  const stored: object[] = []
  let isOpen = false
  const { url } = await startServer((response, { method, body }) => {
    if (method !== 'POST') return sendJson(response, 200, { data: stored, next_cursor: null })
    if (!isOpen) return sendJson(response, 422, { error: { code: 'closed', message: 'closed' } })
    stored.push({ id: `c${stored.length + 1}`, ...JSON.parse(body) })
    return sendJson(response, 201, stored.at(-1))
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'crm_key_of_the_test' })
  expect((await crm(['contacts', 'import', file, '--yes'], env)).exit).toBe(3)
  const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
  isOpen = true
  const runs = await Promise.all([1, 2].map(() => crm(['jobs', 'retry', job, '--yes'], env)))
  expect(stored).toHaveLength(2)
  expect(runs.map(({ exit }) => exit).toSorted()).toEqual([0, 7])
  expect(runs.find(({ exit }) => exit === 7)?.stderr).toMatch(/job_\w+ was started meanwhile by another process/)
})

test('of two undos of one job at the same moment one is refused, also of different parts', async () => {
  const service = await serveForTest()
  let bothRead = Promise.withResolvers<void>()
  let lists: number | undefined
  const proxy = await startProxy(service.url, (method) => {
    if (method !== 'GET' || lists === undefined) return undefined
    if (++lists === 2) bothRead.resolve()
    return bothRead.promise
  })
  const env = emptyHome({ CRM_BASE_URL: proxy, CRM_API_KEY: service.key.text })
  const file = join(tempFolder(), 'people.csv')
  for (const parts of [
    [[], []],
    [
      ['--rows', '2'],
      ['--rows', '3'],
    ],
  ]) {
    writeFileSync(file, `email\n${parts.length}${parts[0]?.length}@x.test\nother${parts[0]?.length}@x.test\n`)
    await crmPrints(['contacts', 'import', file, '--yes'], env)
    const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
    bothRead = Promise.withResolvers<void>()
    lists = 0
    const args = ['jobs', 'undo', job, '--yes', '--expect-most', '2']
    const runs = await Promise.all(parts.map((part) => crm([...args, ...part], env)))
    lists = undefined
    expect(runs.map(({ exit }) => exit).toSorted()).toEqual([0, 7])
    const refused = runs.find(({ exit }) => exit === 7)
    expect(refused?.stderr).toMatch(/job_\w+ was started meanwhile by another process/)
  }
})
