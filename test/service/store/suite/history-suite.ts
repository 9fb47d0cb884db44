import { expect, test } from 'vitest'
import type { StoredResource } from '../../../../src/core/resources/registry.ts'
import type { ChangedMembers, HistoryQuery } from '../../../../src/service/store/history.ts'
import type { Store, StoreWrite } from '../../../../src/service/store/store.ts'
import { takeTurn } from '../outbox-samples.ts'
import { created, creation, idOf, removal, rewriting } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000

const BY = { keyId: 'key_1', job: 'job_1', requestId: 'req_1' }

const NOTE_OF = (dealId: string): Partial<StoreWrite> => ({ parent: { resource: 'deal', id: dealId } })

function members(more: Partial<ChangedMembers> = {}): ChangedMembers {
  const none = { oldValues: null, newValues: null, previousAtMs: null }
  return { action: 'updated', version: 1, fields: '["name"]', ...none, ...more }
}

/** Creates a record, with its values in the history. */
function recorded(resource: StoredResource, name: string, write: Partial<StoreWrite> = {}): StoreWrite {
  const changed = () => members({ action: 'created', newValues: JSON.stringify({ name }) })
  const deal = resource === 'deal' ? { deal: DEAL } : {}
  return creation(
    resource,
    {},
    { by: BY, decide: (state) => ({ ...created(state, { name }), ...deal, changed }), ...write },
  )
}

const DEAL = { name: 'Fleet', stage: 'Lead', ownerId: null, pipelineId: 'sales', amount: null }

function renamed(id: string, [from, to]: readonly [string, string], by: StoreWrite['by'] = BY): StoreWrite {
  const write = rewriting('contact', id, JSON.stringify({ id, name: to }))
  const oldValues = JSON.stringify({ name: from })
  const newValues = JSON.stringify({ name: to })
  const decide: StoreWrite['decide'] = (state) => ({
    ...write.decide(state),
    changed: () => members({ version: 2, oldValues, newValues, previousAtMs: NOON_MS }),
  })
  return { ...write, by, decide }
}

function removed(resource: StoredResource, id: string): StoreWrite {
  const write = removal(resource, id)
  const changed = () => members({ action: 'deleted', fields: '[]', version: 2 })
  return { ...write, by: BY, decide: (state) => ({ ...write.decide(state), changed }) }
}

async function historyOf(store: Store, query: Partial<HistoryQuery> = {}) {
  return (await store.history({ limit: 100, olderThanId: undefined, ...query })).entries
}

export function historySuite({ open, makePlace }: Fixture): void {
  test('the history has each change of a record with its values, time, key, job and request', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    await store.addKey({
      ...{ id: 'key_1', name: 'warehouse', hash: 'h', lastFour: 'abcd', scopes: ['write'], createdAtMs: NOON_MS },
      ...{ expiresAtMs: undefined, revokedAtMs: undefined },
    })
    const id = idOf(await store.write(recorded('contact', 'Ada')))
    nowMs += 1000
    await store.write(renamed(id, ['Ada', 'Ada Lovelace'], { keyId: 'key_2', job: undefined, requestId: 'req_2' }))
    const about = { resource: 'contact', recordId: id, fields: '["name"]' }
    expect(await historyOf(store)).toEqual([
      {
        ...{ ...about, id: expect.stringMatching(/^chg_/), atMs: NOON_MS + 1000, action: 'updated', version: 2 },
        ...{ previousAtMs: NOON_MS, oldValues: '{"name":"Ada"}', newValues: '{"name":"Ada Lovelace"}' },
        ...{ keyId: 'key_2', keyName: null, job: null, requestId: 'req_2' },
      },
      {
        ...{ ...about, id: expect.stringMatching(/^chg_/), atMs: NOON_MS, action: 'created', version: 1 },
        ...{ previousAtMs: null, oldValues: null, newValues: '{"name":"Ada"}' },
        ...{ keyId: 'key_1', keyName: 'warehouse', job: 'job_1', requestId: 'req_1' },
      },
    ])
  })

  test('a write that is refused, replayed, or of a webhook has no entry', async () => {
    const store = await open()
    const keyed = recorded('contact', 'Ada', { idempotency: { key: 'k', fingerprint: 'f' } })
    await store.write(keyed)
    await store.write(keyed)
    const refused = {
      ...keyed,
      idempotency: undefined,
      decide: () => {
        throw new Error('refused')
      },
    }
    await expect(store.write(refused)).rejects.toThrow('refused')
    const webhook = { url: 'http://127.0.0.1/', events: ['*'], secret: 'whsec_x' }
    const changed = () => members({ action: 'created' })
    await store.write(creation('webhook', {}, { decide: (state) => ({ ...created(state), webhook, changed }) }))
    expect(await historyOf(store)).toHaveLength(1)
  })

  test('deleting a record erases its values at once, and keeps who, when, which key and which fields', async () => {
    const store = await open()
    const [id, other] = [
      idOf(await store.write(recorded('contact', 'Ada'))),
      idOf(await store.write(recorded('contact', 'Grace'))),
    ]
    await store.write(renamed(id, ['Ada', 'Ada Lovelace']))
    await store.write(removed('contact', id))
    const erased = { oldValues: null, newValues: null, keyId: 'key_1', job: 'job_1' }
    expect(await historyOf(store, { record: { resource: 'contact', id } })).toMatchObject([
      { ...erased, action: 'deleted', fields: '[]' },
      { ...erased, action: 'updated', fields: '["name"]' },
      { ...erased, action: 'created', fields: '["name"]' },
    ])
    expect(await historyOf(store, { record: { resource: 'contact', id: other } })).toMatchObject([
      { newValues: '{"name":"Grace"}' },
    ])
  })

  test('a record that is made, changed and deleted in one commit has no values in its history', async () => {
    const store = await open()
    const known = idOf(await store.write(recorded('contact', 'Ada')))
    await Promise.all([
      store.write(renamed(known, ['Ada', 'Ada Lovelace'])),
      store.write(removed('contact', known)),
      store.write(recorded('contact', 'Grace')),
    ])
    expect((await historyOf(store)).map(({ action, newValues }) => [action, newValues])).toEqual([
      ['created', '{"name":"Grace"}'],
      ['deleted', null],
      ['updated', null],
      ['created', null],
    ])
  })

  test('deleting a deal erases the values of its notes, and each gets an entry', async () => {
    const store = await open()
    const deal = idOf(await store.write(recorded('deal', 'Fleet')))
    const kept = idOf(await store.write(recorded('deal', 'Van')))
    await store.write(recorded('note', 'one', NOTE_OF(deal)))
    await store.write(recorded('note', 'other', NOTE_OF(kept)))
    // In one commit with a note that is new.
    await Promise.all([store.write(recorded('note', 'two', NOTE_OF(deal))), store.write(removed('deal', deal))])
    const notes = await historyOf(store, { resource: 'note' })
    expect(notes.map(({ action, newValues }) => [action, newValues])).toEqual([
      ['deleted', null],
      ['deleted', null],
      ['created', null],
      ['created', '{"name":"other"}'],
      ['created', null],
    ])
    expect(notes[0]).toMatchObject({ keyId: 'key_1', job: 'job_1', recordId: notes[2]?.recordId })
  })

  test('without a history nothing is written, and a deletion still erases what is there', async () => {
    const reopen = await makePlace()
    const before = await reopen()
    const [id, deal] = [
      idOf(await before.write(recorded('contact', 'Ada'))),
      idOf(await before.write(recorded('deal', 'Fleet'))),
    ]
    await before.write(recorded('note', 'one', NOTE_OF(deal)))
    await before.close()
    const store = await reopen(() => 0, { retention: { historyMs: 0 } })
    await Promise.all([store.write(removed('contact', id)), store.write(removed('deal', deal))])
    const left = await historyOf(store)
    expect(left.map(({ action, newValues }) => [action, newValues])).toEqual(left.map(() => ['created', null]))
    expect(left.length).toBeLessThanOrEqual(3)
  })

  test('entries are deleted after their time, with and without another write, and never with Infinity', async () => {
    let nowMs = NOON_MS
    const reopen = await makePlace()
    const store = await reopen(() => nowMs, { retention: { historyMs: DAY_MS } })
    for (const name of ['a', 'b', 'c']) await store.write(recorded('contact', name))
    nowMs += DAY_MS
    await takeTurn(store)
    expect(await store.stats()).toMatchObject({ historyEntries: 3, oldestHistoryMs: NOON_MS })
    nowMs += 1
    const all = await reopen(() => nowMs, { retention: { historyMs: Number.POSITIVE_INFINITY } })
    await takeTurn(all)
    await all.write(recorded('contact', 'd'))
    expect(await store.stats()).toMatchObject({ historyEntries: 4 })
    await store.write(recorded('contact', 'e'))
    expect((await store.stats()).historyEntries).toBeLessThan(5)
    await takeTurn(store)
    expect(await store.stats()).toMatchObject({ historyEntries: 2, oldestHistoryMs: nowMs })
  })

  test('filters are combined, and pages go on where one ended, newest first', async () => {
    let nowMs = NOON_MS
    const store = await open(() => nowMs)
    for (let count = 0; count < 12; count++) {
      const by = { keyId: `key_${count % 3}`, job: count % 2 === 0 ? 'job_even' : undefined, requestId: `req_${count}` }
      await store.write(recorded(count % 4 === 0 ? 'deal' : 'contact', `${count}`, { by }))
      nowMs += 1000
    }
    const numbers = async (query: Partial<HistoryQuery>) =>
      (await historyOf(store, query)).map(({ requestId }) => Number(requestId?.slice(4)))
    expect(await numbers({ keyIds: ['key_1'] })).toEqual([10, 7, 4, 1])
    expect(await numbers({ keyIds: ['key_1', 'key_2', 'key_1'] })).toEqual([11, 10, 8, 7, 5, 4, 2, 1])
    expect(await numbers({ job: 'job_even', resource: 'deal' })).toEqual([8, 4, 0])
    expect(await numbers({ job: 'job_even', keyIds: ['key_0'], resource: 'contact' })).toEqual([6])
    expect(await numbers({ sinceMs: NOON_MS + 3000, untilMs: NOON_MS + 5000 })).toEqual([5, 4, 3])
    expect(await numbers({ resource: 'deal', sinceMs: NOON_MS + 1, untilMs: NOON_MS + 7999 })).toEqual([4])
    expect(await numbers({ job: 'none' })).toEqual([])
    expect(await numbers({ record: { resource: 'contact', id: 'deal_x' } })).toEqual([])
    const seen: (string | null)[] = []
    for (let place: string | undefined, more = true; more; ) {
      const page = await store.history({ limit: 3, olderThanId: place, keyIds: ['key_0', 'key_1', 'key_2'] })
      seen.push(...page.entries.map(({ requestId }) => requestId))
      expect(page.entries.length).toBeLessThanOrEqual(3)
      place = page.nextOlderThanId
      more = place !== undefined
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, count) => `req_${11 - count}`))
  })
}
