import { expect, test } from 'vitest'
import { allContacts, creation, idOf, ofContacts, removal, rewriting } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

export function uniqueSuite({ open, makePlace }: Fixture): void {
  test('a value of a unique member belongs to one contact, compared without blanks and case', async () => {
    const store = await open()
    expect(await store.putUniqueMembers(ofContacts('email'))).toEqual([])
    const first = idOf(await store.write(creation('contact', { email: 'Ada@X.test' })))
    const taken = { type: 'already_exists', member: 'email', existingId: first }
    expect(await store.write(creation('contact', { email: ' ada@x.TEST ' }))).toEqual(taken)
    const other = idOf(await store.write(creation('contact', { email: 'bob@x.test' })))
    expect(await store.write(rewriting('contact', other, '{"email":"ADA@x.test"}'))).toEqual(taken)
    expect(await store.write(rewriting('contact', first, '{"email":"ada@x.test","n":1}'))).toHaveProperty(
      'type',
      'done',
    )
    expect(await allContacts(store)).toHaveLength(2)
  })

  test('null, blank text, lists and missing members are not unique; a number equals its digits', async () => {
    const store = await open()
    await store.putUniqueMembers(ofContacts('email'))
    for (const email of [null, null, '', '  ', undefined, undefined, ['a'], ['a']]) {
      expect(await store.write(creation('contact', { email }))).toHaveProperty('type', 'done')
    }
    await store.write(creation('contact', { email: 5 }))
    expect(await store.write(creation('contact', { email: '5' }))).toHaveProperty('type', 'already_exists')
  })

  test('a value is available again when its contact is changed or removed', async () => {
    const store = await open()
    await store.putUniqueMembers(ofContacts('email'))
    const first = idOf(await store.write(creation('contact', { email: 'a' })))
    await store.write(rewriting('contact', first, '{"email":"b"}'))
    const second = idOf(await store.write(creation('contact', { email: 'a' })))
    await store.write(removal('contact', second))
    expect(await store.write(creation('contact', { email: 'a' }))).toHaveProperty('type', 'done')
    expect(await store.write(creation('contact', { email: 'b' }))).toHaveProperty('type', 'already_exists')
  })

  test('of fifty at one moment one is written, and a rejected write leaves its key unused', async () => {
    const store = await open()
    await store.putUniqueMembers(ofContacts('email'))
    const writes = Array.from({ length: 50 }, (_, index) =>
      store.write(creation('contact', { email: 'a' }, { idempotency: { key: `k${index}`, fingerprint: 'f' } })),
    )
    const results = await Promise.all(writes)
    expect(results.filter(({ type }) => type === 'already_exists')).toHaveLength(49)
    const [done] = results.filter(({ type }) => type === 'done')
    if (done) await store.write(removal('contact', idOf(done)))
    const again = creation('contact', { email: 'a' }, { idempotency: { key: 'k7', fingerprint: 'other' } })
    expect(await store.write(again)).toHaveProperty('type', 'done')
  })

  test('values that contacts share are named, and the members are unchanged', async () => {
    const store = await open()
    await store.putUniqueMembers(ofContacts('phone'))
    const ids = []
    for (const email of ['a', 'b', ' A', 'c', 'a', 'C'])
      ids.push(idOf(await store.write(creation('contact', { email }))))
    expect(await store.putUniqueMembers(ofContacts('email'))).toEqual([
      { resource: 'contact', member: 'email', value: 'a', ids: [ids[0], ids[2], ids[4]] },
      { resource: 'contact', member: 'email', value: 'c', ids: [ids[3], ids[5]] },
    ])
    expect(await store.uniqueMembers()).toEqual(ofContacts('phone'))
    expect(await store.write(creation('contact', { email: 'a' }))).toHaveProperty('type', 'done')
  })

  test('unique members are stored, apply to existing contacts, and can be removed', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const first = idOf(await store.write(creation('contact', { email: 'a', phone: '1' })))
    await store.putUniqueMembers(ofContacts('phone', 'email'))
    await store.close()
    const later = await reopen()
    expect(await later.uniqueMembers()).toEqual(ofContacts('email', 'phone'))
    expect(await later.write(creation('contact', { phone: '1' }))).toMatchObject({ member: 'phone', existingId: first })
    await later.putUniqueMembers(ofContacts('email'))
    expect(await later.write(creation('contact', { phone: '1' }))).toHaveProperty('type', 'done')
    await later.putUniqueMembers([])
    expect(await later.write(creation('contact', { email: 'a' }))).toHaveProperty('type', 'done')
  })

  test('unique members set by another process apply from the next write', async () => {
    const reopen = await makePlace()
    const [one, other] = [await reopen(), await reopen()]
    await other.write(creation('contact', { email: 'a' }))
    await one.putUniqueMembers(ofContacts('email'))
    expect(await other.write(creation('contact', { email: 'A' }))).toHaveProperty('type', 'already_exists')
  })
}
