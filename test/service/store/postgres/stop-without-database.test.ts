import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCrm } from '../../../e2e/crm.ts'
import { emptyHome, tempFolder } from '../../../harness/home.ts'
import { type Cluster, startCluster } from '../../../harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../../../harness/postgres/databases.ts'

const KEY = `crm_key_${'k'.repeat(32)}`

/** `crm serve` with a PostgreSQL of its own. */
async function serveOn(cluster: Cluster) {
  const address = await createDatabase(await prepareServer(cluster), 'prepared')
  const home = emptyHome({ CRM_DATABASE_URL: address })
  const keyFile = join(tempFolder(), 'key')
  writeFileSync(keyFile, KEY, { mode: 0o600 })
  const flags = ['--port', '0', '--ready-json', '--drain', '100ms', '--key-file', keyFile]
  const child = startCrm(['serve', ...flags], home)
  onTestFinished(() => void child.kill('SIGKILL'))
  const ready = await new Promise<string>((resolve) => child.stdout.once('data', (bytes) => resolve(String(bytes))))
  const { url } = JSON.parse(ready) as { url: string }
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object): Promise<number> =>
    (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  const terminate = async () => {
    const startMs = performance.now()
    child.kill('SIGTERM')
    const { exit, stderr } = await child.done
    return { exit, stderr, tookMs: performance.now() - startMs }
  }
  return { post, terminate }
}

async function newCluster(): Promise<Cluster> {
  const cluster = await startCluster()
  onTestFinished(cluster.remove)
  return cluster
}

/** Its connections stay open, and get no answer; continued at the end. */
function freeze(cluster: Cluster): void {
  const pid = cluster.pid()
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  const processes = [pid, ...children]
  for (const each of processes) process.kill(each, 'SIGSTOP')
  onTestFinished(() => {
    for (const each of processes) process.kill(each, 'SIGCONT')
  })
}

test('SIGTERM while the database is down is exit 0 when nothing was to be stored', async () => {
  const cluster = await newCluster()
  const { terminate } = await serveOn(cluster)
  await cluster.stop()
  const { exit, stderr } = await terminate()
  expect(stderr).toMatch(/crm serve has stopped\.\n$/)
  expect(exit).toBe(0)
})

test('SIGTERM while the database is down is exit 13, and says what was not stored', async () => {
  const cluster = await newCluster()
  const { post, terminate } = await serveOn(cluster)
  const subscriber = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void subscriber.close())
  await once(subscriber, 'listening')
  const { port } = subscriber.address() as AddressInfo
  expect(await post('/v1/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['*'] })).toBe(201)
  const event = once(subscriber, 'request')
  expect(await post('/v1/contacts', { name: 'Ada' })).toBe(201)
  const [, response] = await event
  await cluster.stop()
  response.end()
  const { exit, stderr } = await terminate()
  expect(stderr).toMatch(
    /crm serve has stopped\.\ncrm: database \S+ did not answer at the end: the audit of keys lacks 2 requests, and 1 delivery is sent again\n {2}acknowledged writes are stored/,
  )
  expect(exit).toBe(13)
})

test('SIGTERM ends within seconds while the database takes connections and does not answer', async () => {
  const cluster = await newCluster()
  const { post, terminate } = await serveOn(cluster)
  expect(await post('/v1/contacts', { name: 'Ada' })).toBe(201)
  freeze(cluster)
  const { exit, stderr, tookMs } = await terminate()
  expect(stderr).toContain('the audit of keys lacks 1 request\n')
  expect(exit).toBe(13)
  // 5 s for the database; without them it would be a minute for a statement, and no end for a connection.
  expect(tookMs).toBeLessThan(20_000)
}, 60_000)
