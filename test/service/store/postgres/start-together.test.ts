import { expect, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { newPostgres } from '../../../harness/database.ts'
import { databaseEnv } from '../../../harness/home.ts'

const PROCESSES = 4

/** Enough that the stores wait for one another in some of them. */
const ROUNDS = 5

test('stores that open an empty database at the same time make its tables once, and all of them open', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const address = await newPostgres('empty')
    const opened = await Promise.allSettled(
      Array.from({ length: PROCESSES }, () => openStore({ address, env: databaseEnv(), now: Date.now })),
    )
    const stores = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const pipelines = await Promise.all(stores.map((store) => store.pipelines()))
    await Promise.all(stores.map((store) => store.close()))
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(pipelines.map(({ length }) => length)).toEqual(Array.from({ length: PROCESSES }, () => 1))
  }
})
