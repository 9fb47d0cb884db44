import { expect, test } from 'vitest'
import type { Store } from '../../../../src/service/store/store.ts'
import { bodyOf, created, creation, dealCreation, idOf } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const ALL = { limit: 50, olderThanId: undefined, maxChars: 1_000_000 }

async function makeNotes(store: Store, dealId: string, count: number): Promise<readonly string[]> {
  const parent = { resource: 'deal', id: dealId } as const
  const results = await Promise.all(Array.from({ length: count }, () => store.write(creation('note', {}, { parent }))))
  return results.map(idOf)
}

function idsOf(texts: readonly string[] | undefined): readonly string[] | undefined {
  return texts?.map((text) => JSON.parse(text).id)
}

export function readsSuite({ open }: Fixture): void {
  test('records are read by id, without missing ones', async () => {
    const store = await open()
    const [one, other] = [await store.write(creation('contact')), await store.write(creation('contact'))]
    const deal = await store.write(dealCreation())
    const found = await store.records('contact', [idOf(other), 'con_00000000000', idOf(deal), 'nonsense', idOf(one)])
    expect([...found.keys()].sort()).toEqual([idOf(one), idOf(other)].sort())
    expect(found.get(idOf(one))).toEqual({ id: idOf(one), version: 1, text: bodyOf(one) })
    expect((await store.records('deal', [idOf(deal)])).size).toBe(1)
    expect((await store.records('webhook', [])).size).toBe(0)
  })

  test('the notes of several deals are one page per deal, newest first', async () => {
    const store = await open()
    const [busy, quiet, silent] = [
      idOf(await store.write(dealCreation())),
      idOf(await store.write(dealCreation())),
      idOf(await store.write(dealCreation())),
    ]
    const [a, b, c] = await makeNotes(store, busy, 3)
    const [d] = await makeNotes(store, quiet, 1)
    const pages = await store.notes({ ...ALL, dealIds: [quiet, busy, silent, 'deal_00000000000', 'con_x'], limit: 2 })
    expect(idsOf(pages.get(busy)?.texts)).toEqual([c, b])
    expect(pages.get(busy)?.nextOlderThanId).toBe(b)
    expect(idsOf(pages.get(quiet)?.texts)).toEqual([d])
    for (const id of [silent, 'deal_00000000000', 'con_x']) {
      expect(pages.get(id)).toEqual({ texts: [], nextOlderThanId: undefined })
    }
    const rest = await store.notes({ ...ALL, dealIds: [busy], olderThanId: b })
    expect(idsOf(rest.get(busy)?.texts)).toEqual([a])
  })

  test('reading notes of several deals stops soon after the limit on text length', async () => {
    const store = await open()
    const deal = idOf(await store.write(dealCreation()))
    await makeNotes(store, deal, 20)
    const other = idOf(await store.write(dealCreation()))
    const pages = await store.notes({ ...ALL, dealIds: [deal, other], maxChars: 100 })
    const texts = pages.get(deal)?.texts ?? []
    expect(texts.join('').length).toBeGreaterThan(100)
    expect(texts.length).toBeLessThan(20)
    const whole = await store.notes({ ...ALL, dealIds: [deal], maxChars: Number.POSITIVE_INFINITY })
    expect(whole.get(deal)?.texts).toHaveLength(20)
  })

  test('webhooks are listed newest first', async () => {
    const store = await open()
    const webhook = { url: 'http://127.0.0.1:1/', events: ['*'], secret: 'whsec_c2VjcmV0' }
    const make = () => store.write(creation('webhook', {}, { decide: (state) => ({ ...created(state), webhook }) }))
    const [one, other] = [idOf(await make()), idOf(await make())]
    const first = await store.page('webhook', { limit: 1, olderThanId: undefined })
    expect(idsOf(first.texts)).toEqual([other])
    expect(idsOf((await store.page('webhook', { limit: 1, olderThanId: first.nextOlderThanId })).texts)).toEqual([one])
  })

  test('the answer of an idempotency key is found without writing', async () => {
    const store = await open()
    const idempotency = { key: 'k', fingerprint: 'f' }
    expect(await store.replay(idempotency)).toBeUndefined()
    const done = await store.write(creation('contact', {}, { idempotency }))
    expect(await store.replay(idempotency)).toEqual({ type: 'replayed', answer: 'answer' in done && done.answer })
    expect(await store.replay({ key: 'k', fingerprint: 'g' })).toEqual({ type: 'key_reused' })
  })
}
