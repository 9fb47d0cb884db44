import { openStore } from '../../src/service/store/open-store.ts'
import { databaseEnv } from '../harness/home.ts'

/** Fills a database with contacts past the service: 100,000 in seconds, where requests would take far longer. */
export async function fillWithContacts(address: string, count: number): Promise<void> {
  const store = await openStore({ address, env: databaseEnv(), now: Date.now })
  try {
    const answer = { status: 201, body: '{}', location: undefined, etag: undefined }
    const add = (n: number) =>
      store.write({
        resource: 'contact',
        id: undefined,
        idempotency: undefined,
        decide: ({ id, nowMs }) => {
          const time = new Date(nowMs).toISOString()
          const record = { id, name: `Contact ${n}`, created_at: time, updated_at: time, version: 1 }
          return { next: { text: JSON.stringify(record), version: 1 }, answer }
        },
      })
    const together = 2_000
    for (let done = 0; done < count; done += together) {
      await Promise.all(Array.from({ length: Math.min(together, count - done) }, (_, index) => add(done + index)))
    }
  } finally {
    await store.close()
  }
}
