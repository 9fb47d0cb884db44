import { describe, expect, test } from 'vitest'
import { createKey } from '../../../../src/service/keys.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { newPostgres, openTestStore } from '../../../harness/database.ts'
import { databaseEnv } from '../../../harness/home.ts'
import { HAS_PGBOUNCER, type PoolMode, poolBefore } from '../../../harness/postgres/pgbouncer.ts'
import { makeContact, subscribe, takeTurn } from '../outbox-samples.ts'
import { creation } from '../samples.ts'

async function pooled(mode: PoolMode, settings?: readonly string[]): Promise<string> {
  const url = new URL(await newPostgres())
  url.password = databaseEnv().PGPASSWORD ?? ''
  return poolBefore(url.href, mode, settings)
}

describe.skipIf(!HAS_PGBOUNCER)('behind pgbouncer (skipped where it is not installed)', () => {
  test.each(['session', 'transaction'] as const)(
    'in %s mode, processes write in one order, keep keys, and find every page',
    async (mode) => {
      const address = await pooled(mode, mode === 'session' ? ['default_pool_size = 60'] : [])
      const stores = await Promise.all([1, 2, 3].map(() => openTestStore({ address })))
      await Promise.all(Array.from({ length: 20 }, (_, round) => writeRound(stores, round)))
      const [first] = stores
      if (!first) throw new Error('no store')
      const texts: string[] = []
      let olderThanId: string | undefined
      do {
        const page = await first.page('contact', { limit: 7, olderThanId })
        texts.push(...page.texts)
        olderThanId = page.nextOlderThanId
      } while (olderThanId !== undefined)
      const names = texts.map((text) => String(JSON.parse(text).name))
      expect(names.toSorted()).toEqual(
        Array.from({ length: 20 }, (_, round) => [0, 1, 2].map((at) => `${round}-${at}`))
          .flat()
          .toSorted(),
      )
      const ids = texts.map((text) => String(JSON.parse(text).id))
      expect(ids).toEqual(ids.toSorted().toReversed())
    },
  )

  test('in transaction mode, a revoked key ends and deliveries are found without notifications', async () => {
    const address = await pooled('transaction')
    const [one, other] = [await openTestStore({ address }), await openTestStore({ address })]
    const { key } = await createKey(one, { name: 'test', scopes: ['read'], expiresAtMs: undefined }, Date.now())
    const { hash } = key
    expect(await other.findKey(hash)).toMatchObject({ revokedAtMs: undefined })
    await one.endKey(key.id, { revokedAtMs: 2 })
    await expect.poll(() => other.findKey(hash), { timeout: 1000 }).toMatchObject({ revokedAtMs: 2 })
    await subscribe(one)
    await makeContact(one)
    expect((await takeTurn(other)).claimed).toHaveLength(1)
  })

  test('in statement mode, it is refused with what to set', async () => {
    await expect(openTestStore({ address: await pooled('statement') })).rejects.toMatchObject({
      message: expect.stringMatching(/is behind a pooler that allows no transactions$/),
      details: { hint: 'set pool_mode = transaction or session in the settings of the pooler' },
    })
  })
})

/** Each process makes a contact, and sends it again over the next one. */
async function writeRound(stores: readonly Store[], round: number): Promise<void> {
  await Promise.all(
    stores.map(async (store, at) => {
      const name = `${round}-${at}`
      const write = creation('contact', { name }, { idempotency: { key: name, fingerprint: 'f' } })
      expect(await store.write(write)).toHaveProperty('type', 'done')
      const other = stores[(at + 1) % stores.length] ?? store
      expect(await other.write(write)).toHaveProperty('type', 'replayed')
    }),
  )
}
