import { join } from 'node:path'
import { openStore } from '../../../../../src/service/store/open-store.ts'
import type { Store, StoreWrite } from '../../../../../src/service/store/store.ts'
import { databaseEnv, tempFolder } from '../../../../harness/home.ts'
import { changeContact, makeContact, subscribe } from '../../outbox-samples.ts'
import { creation, dealCreation, idOf, ofContacts, removal } from '../../samples.ts'

/** A new file of SQLite, named after what it is in a test. */
export function newFile(name: string): string {
  return join(tempFolder(), `${name}.sqlite`)
}

/** Opens a store, does the work, and closes it, so that it can be copied. */
export async function withStore<T>(address: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ address, env: databaseEnv(), now: Date.now })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** With an entry of the history; some of its values are erased. */
function recorded(write: StoreWrite, fields: object): StoreWrite {
  const values = { oldValues: null, newValues: JSON.stringify(fields), previousAtMs: null }
  const changed = () => ({
    action: 'created' as const,
    version: 1,
    fields: JSON.stringify(Object.keys(fields)),
    ...values,
  })
  const by = { keyId: 'key_1', job: 'job_1', requestId: 'req_1' }
  return { ...write, by, decide: (state) => ({ ...write.decide(state), changed }) }
}

/** More contacts than are copied at once, with all that other tables hold. Returns the ids of some of them, oldest first. */
export async function fillStore(address: string, contacts = 2500): Promise<readonly string[]> {
  return withStore(address, async (store) => {
    await store.putUniqueMembers(ofContacts('email'))
    // One is deleted again.
    const writes = Array.from({ length: contacts + 1 }, (_, at) => {
      const idempotency = at % 5 === 0 ? { key: `key-${at}`, fingerprint: 'f' } : undefined
      const company = `${at % 7 === 0 ? 'x'.repeat(400) : ''}${at % 50}`
      const fields = { email: `c${at}@x.test`, name: `Name ${at}`, company }
      const write = creation('contact', fields, { idempotency })
      return store.write(at % 3 === 0 ? recorded(write, fields) : write)
    })
    const ids = (await Promise.all(writes)).map(idOf)
    await store.write(removal('contact', ids.pop() ?? ''))
    await subscribe(store)
    const changed = await makeContact(store)
    for (let step = 0; step < 40; step++) await changeContact(store, changed, step)
    const deal = idOf(await store.write(dealCreation()))
    for (let at = 0; at < 20; at++) {
      await store.write(creation('note', { body: `${at}` }, { parent: { resource: 'deal', id: deal } }))
    }
    const { fixtureRuns } = store
    await fixtureRuns.lock({ id: 'run-1', name: 'one\0', owner: 'ci\0', token: 't1', ttlMs: 3_600_000 })
    await fixtureRuns.keep({ id: 'run-1', token: 't1', state: '{"records":["\\u0000"]}', isEnded: false })
    return ids
  })
}
