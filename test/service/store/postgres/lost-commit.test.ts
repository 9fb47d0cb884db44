import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { freePort } from '../../../harness/free-port.ts'
import { startCluster } from '../../../harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../../../harness/postgres/databases.ts'
import { startCutProxy } from '../../../torture/postgres/cut-proxy.ts'
import { creation } from '../samples.ts'

/** A cluster with a store behind a proxy, and the address past it. */
async function behindProxy() {
  const cluster = await startCluster()
  onTestFinished(cluster.remove)
  const address = await createDatabase(await prepareServer(cluster))
  let port = cluster.port
  const proxy = await startCutProxy(() => ({ host: cluster.host, port }))
  onTestFinished(proxy.close)
  const reach = (to: number): void => {
    port = to
  }
  const through = new URL(address)
  through.port = `${proxy.port}`
  return { cluster, proxy, reach, address, store: await open(through.href) }
}

async function open(address: string): Promise<Store> {
  const store = await openStore({ address, now: Date.now })
  onTestFinished(() => store.close())
  return store
}

async function namesIn(store: Store): Promise<readonly string[]> {
  const { texts } = await store.page('contact', { limit: 100, olderThanId: undefined })
  return texts.map((text) => JSON.parse(text).name)
}

test.each(['request', 'answer'] as const)('a write whose COMMIT loses its %s exists once', async (lost) => {
  const { store, proxy } = await behindProxy()
  const [result] = await Promise.all([store.write(creation('contact', { name: 'Ada' })), proxy.loseNextCommit(lost)])
  expect(result.type).toBe('done')
  expect(await namesIn(store)).toEqual(['Ada'])
})

test('a transaction that a crash undid is not taken for a later one, which may have its number', async () => {
  const { store, proxy, cluster, reach, address } = await behindProxy()
  const lost = proxy.loseNextCommit('held')
  const writing = store.write(creation('contact', { name: 'Ada' }))
  await lost
  reach(await freePort())
  await cluster.kill()
  await cluster.start()
  const other = await open(address)
  for (const name of ['Grace', 'Alan', 'Edsger']) await other.write(creation('contact', { name }))
  reach(cluster.port)
  expect((await writing).type).toBe('done')
  expect((await namesIn(other)).toSorted()).toEqual(['Ada', 'Alan', 'Edsger', 'Grace'])
})
