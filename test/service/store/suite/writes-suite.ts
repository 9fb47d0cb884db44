import { expect, test } from 'vitest'
import type { StoredResource } from '../../../../src/core/resources/registry.ts'
import { allContacts, answer, bodyOf, created, creation, dealCreation, idOf, removal, rewriting } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const WEBHOOK = { url: 'https://example.com/', events: ['*'], secret: 'whsec_x' }

export function writesSuite({ open, makePlace }: Fixture): void {
  test('a created record and its answer are as decided', async () => {
    const store = await open()
    const result = await store.write(creation('contact', { name: 'Ada' }))
    expect(result.type).toBe('done')
    expect(await allContacts(store)).toEqual([bodyOf(result)])
  })

  test('any text is returned byte for byte', async () => {
    const store = await open()
    const hostile = { emoji: '👩‍🚀', quote: `'";--`, nul: '\0', lone: '\ud800', long: 'ä'.repeat(30_000) }
    const result = await store.write(creation('contact', hostile))
    const [text] = await allContacts(store)
    expect(text).toBe(bodyOf(result))
    expect(JSON.parse(text ?? '')).toMatchObject(hostile)
  })

  test('a change is decided from the current record, and replaces its text and version', async () => {
    const store = await open()
    const id = idOf(await store.write(creation('contact')))
    await store.write(rewriting('contact', id, '{"a":1}'))
    const seen = await store.write({
      ...rewriting('contact', id, ''),
      decide: ({ current }) => ({
        ...created({ id, nowMs: 0, current, isParentThere: true }),
        next: current,
        answer: answer(200, JSON.stringify(current)),
      }),
    })
    expect(JSON.parse(bodyOf(seen))).toEqual({ id, version: 2, text: '{"a":1}' })
    expect(await allContacts(store)).toEqual(['{"a":1}'])
  })

  test('a removed record is gone, and a second removal finds nothing', async () => {
    const store = await open()
    const id = idOf(await store.write(creation('contact')))
    expect(await store.write(removal('contact', id))).toEqual({ type: 'done', answer: answer(204, '') })
    expect(await allContacts(store)).toEqual([])
    await expect(store.write(removal('contact', id))).rejects.toThrow(`no ${id}`)
  })

  test('an id of another kind, or text that is not an id, is not found', async () => {
    const store = await open()
    const contactId = idOf(await store.write(creation('contact')))
    const dealId = idOf(await store.write(dealCreation()))
    const wrong: readonly [StoredResource, string][] = [
      ['contact', dealId],
      ['deal', contactId],
      ['contact', contactId.toUpperCase()],
      ['contact', `${contactId} `],
      ['contact', contactId.replace('con_', 'deal_')],
      ['contact', ''],
      ['contact', "' OR 1=1 --"],
    ]
    for (const [kind, id] of wrong) await expect(store.write(removal(kind, id))).rejects.toThrow(`no ${id}`)
  })

  test('a note knows whether its deal exists, and is deleted with it', async () => {
    const store = await open()
    const dealId = idOf(await store.write(dealCreation()))
    const seen: boolean[] = []
    const noteOf = (id: string) =>
      creation(
        'note',
        {},
        {
          parent: { resource: 'deal', id },
          decide: (state) => {
            seen.push(state.isParentThere)
            if (!state.isParentThere) throw new Error('no deal')
            return created(state)
          },
        },
      )
    const noteId = idOf(await store.write(noteOf(dealId)))
    await expect(store.write(noteOf('deal_00000000000'))).rejects.toThrow('no deal')
    await expect(store.write(noteOf('nonsense'))).rejects.toThrow('no deal')
    expect(seen).toEqual([true, false, false])
    await store.write(removal('deal', dealId))
    await expect(store.write(removal('note', noteId))).rejects.toThrow(`no ${noteId}`)
  })

  test('a refused write rejects with the thrown error, writes nothing, and does not affect others', async () => {
    const store = await open()
    const refusal = { code: 'stale' }
    const refuse = () => {
      throw refusal
    }
    const outcomes = await Promise.allSettled([
      store.write(creation('contact', { n: 1 })),
      store.write(creation('contact', {}, { decide: refuse })),
      store.write(creation('contact', { n: 2 })),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toHaveProperty('reason', refusal)
    expect(await allContacts(store)).toHaveLength(2)
  })

  test('an answer that is not a success writes nothing', async () => {
    const store = await open()
    const write = creation('contact', {}, { decide: (state) => ({ ...created(state), answer: answer(409, 'no') }) })
    expect(await store.write(write)).toEqual({ type: 'done', answer: answer(409, 'no') })
    expect(await allContacts(store)).toEqual([])
  })

  test('a change that cannot be written is rejected without affecting the others', async () => {
    const store = await open()
    const outcomes = await Promise.allSettled([
      store.write(creation('contact')),
      store.write(creation('deal')),
      store.write(creation('webhook')),
      store.write(creation('note')),
      store.write(creation('note', {}, { parent: { resource: 'deal', id: 'deal_00000000000' } })),
      store.write({ ...creation('contact'), id: 'con_00000000000' }),
      store.write(creation('webhook', {}, { decide: (state) => ({ ...created(state), webhook: WEBHOOK }) })),
    ])
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
      true,
    ])
    expect(await allContacts(store)).toHaveLength(1)
  })

  test('a write sees the changes of concurrent earlier writes', async () => {
    const store = await open()
    const id = idOf(await store.write(creation('contact')))
    const count = () =>
      store.write({
        ...rewriting('contact', id, ''),
        decide: ({ current }) => {
          const text = JSON.stringify({ count: (JSON.parse(current?.text ?? '{}').count ?? 0) + 1 })
          const next = { text, version: (current?.version ?? 0) + 1 }
          return { next, answer: answer(200, text) }
        },
      })
    const results = await Promise.all(Array.from({ length: 1200 }, count))
    expect(bodyOf(results[1199] ?? { type: 'key_reused' })).toBe('{"count":1200}')
  })

  test('answered writes exist after the database is reopened', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const result = await store.write(creation('contact'))
    await store.close()
    expect(await allContacts(await reopen())).toEqual([bodyOf(result)])
  })

  test('closing keeps earlier writes and rejects later ones', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const sent = Promise.all(Array.from({ length: 1500 }, () => store.write(creation('contact'))))
    await store.close()
    await store.close()
    expect(await sent).toHaveLength(1500)
    await expect(store.write(creation('contact'))).rejects.toThrow('is closed')
    await expect(allContacts(store)).rejects.toThrow('is closed')
    expect(await allContacts(await reopen())).toHaveLength(1500)
  })
}
