import { expect, test } from 'vitest'
import type { StoreWrite, WriteAnswer } from '../../../../src/service/store/store.ts'
import { takeTurn } from '../outbox-samples.ts'
import { allContacts, answer, bodyOf, created, creation } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000

function keyed(key: string, fingerprint = 'f', fields: object = {}): StoreWrite {
  return creation('contact', fields, { idempotency: { key, fingerprint } })
}

export function idempotencySuite({ open, makePlace }: Fixture): void {
  test('a repeated key gets the first answer without a second effect', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const full: WriteAnswer = { status: 201, body: '{"a":"ä\\u0000"}', location: '/v1/contacts/x', etag: '"1"' }
    const write: StoreWrite = { ...keyed('k'), decide: (state) => ({ ...created(state), answer: full }) }
    expect(await store.write(write)).toEqual({ type: 'done', answer: full })
    expect(await store.write(write)).toEqual({ type: 'replayed', answer: full })
    await store.close()
    const later = await reopen()
    expect(await later.write(write)).toEqual({ type: 'replayed', answer: full })
    expect(await allContacts(later)).toHaveLength(1)
  })

  test('a key used for another request is reported as reused', async () => {
    const store = await open()
    await store.write(keyed('k', 'one'))
    expect(await store.write(keyed('k', 'two'))).toEqual({ type: 'key_reused' })
    expect(await allContacts(store)).toHaveLength(1)
  })

  test('fifty concurrent writes with one key make one record and fifty equal answers', async () => {
    const store = await open()
    const results = await Promise.all(Array.from({ length: 50 }, () => store.write(keyed('k'))))
    expect(new Set(results.map(bodyOf)).size).toBe(1)
    expect(results.filter(({ type }) => type === 'done')).toHaveLength(1)
    expect(results.filter(({ type }) => type === 'replayed')).toHaveLength(49)
    expect(await allContacts(store)).toHaveLength(1)
  })

  test('a replay is not decided again', async () => {
    const store = await open()
    await store.write(keyed('k'))
    const refuse = () => {
      throw new Error('decided')
    }
    expect(await store.write({ ...keyed('k'), decide: refuse })).toHaveProperty('type', 'replayed')
  })

  test('a rejected write leaves its key unused', async () => {
    const store = await open()
    const refuse = () => {
      throw new Error('refused')
    }
    await expect(store.write({ ...keyed('k'), decide: refuse })).rejects.toThrow('refused')
    const failing: StoreWrite = { ...keyed('k'), decide: (state) => ({ ...created(state), answer: answer(422, '') }) }
    expect(await store.write(failing)).toHaveProperty('type', 'done')
    expect(await store.write(keyed('k', 'another'))).toHaveProperty('type', 'done')
  })

  test('a key can be reused after a day, and then stands for its second use', async () => {
    const clock = { ms: NOON_MS }
    const store = await open(() => clock.ms)
    const first = await store.write(keyed('k'))
    clock.ms += DAY_MS
    expect(await store.write(keyed('k'))).toEqual({ ...first, type: 'replayed' })
    clock.ms += 1
    const second = await store.write(keyed('k', 'another'))
    expect(second.type).toBe('done')
    clock.ms += DAY_MS
    expect(await store.write(keyed('k', 'another'))).toEqual({ ...second, type: 'replayed' })
    expect(await allContacts(store)).toHaveLength(2)
  })

  test('a clock that is set back by more than a day forgets no key, and those from before it end a day later', async () => {
    const clock = { ms: NOON_MS }
    const store = await open(() => clock.ms)
    const first = await store.write(keyed('k'))
    clock.ms -= DAY_MS + 3_600_000
    // Writes and turns delete expired answers.
    for (let count = 0; count < 3; count++) await store.write(keyed(`other ${count}`))
    await takeTurn(store)
    expect(await store.replay({ key: 'k', fingerprint: 'f' })).toEqual({ ...first, type: 'replayed' })
    expect(await store.write(keyed('k'))).toEqual({ ...first, type: 'replayed' })
    clock.ms += DAY_MS + 1
    await takeTurn(store)
    expect((await store.stats()).idempotencyKeys).toBe(0)
    expect(await store.write(keyed('k', 'another'))).toHaveProperty('type', 'done')
  })
}
