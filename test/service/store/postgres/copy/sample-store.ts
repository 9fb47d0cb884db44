import { join } from 'node:path'
import { openStore } from '../../../../../src/service/store/open-store.ts'
import type { Store } from '../../../../../src/service/store/store.ts'
import { databaseEnv, tempFolder } from '../../../../harness/home.ts'
import { changeContact, makeContact, subscribe } from '../../outbox-samples.ts'
import { creation, dealCreation, idOf, ofContacts } from '../../samples.ts'

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

/** More contacts than are copied at once, with all that other tables hold. Returns the ids of some of them, oldest first. */
export async function fillStore(address: string, contacts = 2500): Promise<readonly string[]> {
  return withStore(address, async (store) => {
    await store.putUniqueMembers(ofContacts('email'))
    const writes = Array.from({ length: contacts }, (_, at) => {
      const idempotency = at % 5 === 0 ? { key: `key-${at}`, fingerprint: 'f' } : undefined
      const company = `${at % 7 === 0 ? 'x'.repeat(400) : ''}${at % 50}`
      return store.write(creation('contact', { email: `c${at}@x.test`, name: `Name ${at}`, company }, { idempotency }))
    })
    const ids = (await Promise.all(writes)).map(idOf)
    await subscribe(store)
    const changed = await makeContact(store)
    for (let step = 0; step < 40; step++) await changeContact(store, changed, step)
    const deal = idOf(await store.write(dealCreation()))
    for (let at = 0; at < 20; at++) {
      await store.write(creation('note', { body: `${at}` }, { parent: { resource: 'deal', id: deal } }))
    }
    return ids
  })
}
