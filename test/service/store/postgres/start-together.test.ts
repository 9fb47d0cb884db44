import { expect, inject, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { createDatabase, dropDatabase } from '../../../harness/postgres/databases.ts'

const PROCESSES = 4

/** Enough that the stores wait for one another in some of them. */
const ROUNDS = 5

test('stores that open an empty database at the same time make its tables once, and all of them open', async () => {
  const server = inject('postgres')
  for (let round = 0; round < ROUNDS; round++) {
    const address = await createDatabase(server)
    const opened = await Promise.allSettled(
      Array.from({ length: PROCESSES }, () => openStore({ address, now: Date.now })),
    )
    const stores = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const pipelines = await Promise.all(stores.map((store) => store.pipelines()))
    await Promise.all(stores.map((store) => store.close()))
    await dropDatabase(server, address)
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(pipelines.map(({ length }) => length)).toEqual(Array.from({ length: PROCESSES }, () => 1))
  }
})
