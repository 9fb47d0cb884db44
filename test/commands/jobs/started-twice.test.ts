import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'

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
  expect(refused[0]?.stderr).toMatch(/job_\w+ was started meanwhile by another process, with the same rows/)
})
