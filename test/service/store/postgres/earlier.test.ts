import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm } from '../../../harness/crm.ts'
import { connectTo, newPostgres } from '../../../harness/database.ts'
import { emptyHome, tempFolder } from '../../../harness/home.ts'
import { serve } from '../../../harness/service.ts'

const EARLIER = new URL('../../../earlier/', import.meta.url)

test('the database of an earlier version opens, and holds what its copy in SQLite holds', async () => {
  const address = await newPostgres('empty')
  const dump = readFileSync(new URL('crm-postgres.sql', EARLIER), 'utf8')
  const client = await connectTo(address)
  // Lines with a backslash are commands of psql.
  await client.query(dump.replace(/^\\.*$/gm, ''))
  const sqlite = join(tempFolder(), 'crm.db')
  copyFileSync(new URL('crm.db', EARLIER), sqlite)
  const key = readFileSync(new URL('key', EARLIER), 'utf8')
  const listed: unknown[] = []
  for (const database of [address, sqlite]) {
    const { url } = await serve(['--database', database, '--rate-limit', 'none', '--log', 'none'], emptyHome())
    const env = emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: key })
    const lists: unknown[] = []
    for (const noun of ['contacts', 'deals', 'webhooks', 'pipelines', 'history']) {
      const words = noun === 'history' ? ['history'] : [noun, 'list']
      const run = await crm([...words, '-o', 'json'], env)
      expect([noun, run.exit], run.stderr).toEqual([noun, 0])
      lists.push(JSON.parse(run.stdout))
    }
    listed.push(lists)
  }
  expect(listed[0]).toEqual(listed[1])
  expect((listed[0] as unknown[][])[0]?.length).toBeGreaterThan(100)
})
