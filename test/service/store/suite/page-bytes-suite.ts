import { describe, expect, test } from 'vitest'
import type { Store, StoreWrite, TextPage } from '../../../../src/service/store/store.ts'
import { created, creation, dealCreation, idOf } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const MEBIBYTE = 1024 * 1024

/** Two bytes each, and so more in a database than in JavaScript. */
const padded = (sizeBytes: number) => ({ pad: 'é'.repeat(sizeBytes / 2) })

const SIZES = [10, 600_000, 300_000, 300_000, 10, 1_100_000, 10, 10, 1_040_000, 400_000, 10, 600_000, 60_000, 60_000]

type ReadPage = (limit: number, olderThanId: string | undefined) => Promise<TextPage>

/** Every text of a list, oldest last, by pages of at most `limit`, each checked. */
async function walk(limit: number, read: ReadPage): Promise<readonly string[]> {
  const all: string[] = []
  let olderThanId: string | undefined
  do {
    const { texts, nextOlderThanId } = await read(limit, olderThanId)
    expect(texts.length).toBeLessThanOrEqual(limit)
    if (texts.length > 1) expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(MEBIBYTE)
    if (nextOlderThanId !== undefined) expect(texts.length).toBeGreaterThan(0)
    all.push(...texts)
    olderThanId = nextOlderThanId
  } while (olderThanId !== undefined)
  return all
}

const idsIn = (texts: readonly string[]) => texts.map((text) => JSON.parse(text).id)

/** One write after another, and their ids, newest first. */
async function make(store: Store, writes: readonly StoreWrite[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const write of writes) ids.unshift(idOf(await store.write(write)))
  return ids
}

export function pageBytesSuite({ open }: Fixture): void {
  describe('a page has at most 1 MiB of records, or one record, and the next one starts after it', () => {
    test('of contacts, joined or not, and filtered by several values', async () => {
      const store = await open()
      const filters = { name: ['a', 'b'], company: ['c'] }
      const ids = await make(
        store,
        SIZES.map((size, at) => creation('contact', { name: 'ab'[at % 2], company: 'c', ...padded(size) })),
      )
      const reads: readonly ReadPage[] = [
        (limit, olderThanId) => store.page('contact', { limit, olderThanId }),
        (limit, olderThanId) => store.page('contact', { limit, olderThanId }, { values: filters }),
        async (limit, olderThanId) => {
          const { text, nextOlderThanId } = await store.joinedPage('contact', { limit, olderThanId })
          return { texts: JSON.parse(`[${text}]`).map((each: unknown) => JSON.stringify(each)), nextOlderThanId }
        },
      ]
      for (const read of reads) for (const limit of [1, 3, 500]) expect(idsIn(await walk(limit, read))).toEqual(ids)
      expect((await store.page('contact', { limit: 500, olderThanId: undefined })).texts).toHaveLength(4)
    })

    test('of deals, and of the notes of a deal', async () => {
      const store = await open()
      const deals = await make(
        store,
        SIZES.map((size, at) => {
          const { decide } = dealCreation({ stage: at % 2 === 0 ? 'Lead' : 'Won' })
          return { ...dealCreation(), decide: (state) => ({ ...decide(state), ...created(state, padded(size)) }) }
        }),
      )
      for (const filters of [{}, { values: { stage: ['Lead', 'Won'] } }])
        expect(
          idsIn(await walk(500, (limit, olderThanId) => store.page('deal', { limit, olderThanId }, filters))),
        ).toEqual(deals)
      const dealId = deals[0] ?? ''
      const parent = { resource: 'deal', id: dealId } as const
      const notes = await make(
        store,
        SIZES.map((size) => creation('note', padded(size), { parent })),
      )
      const readNotes: ReadPage = async (limit, olderThanId) => {
        const pages = await store.notes({ limit, olderThanId, dealIds: [dealId], maxChars: Number.POSITIVE_INFINITY })
        return pages.get(dealId) ?? { texts: [], nextOlderThanId: undefined }
      }
      for (const limit of [2, 500]) expect(idsIn(await walk(limit, readNotes))).toEqual(notes)
    })

    test('of the history', async () => {
      const store = await open()
      const by = { keyId: 'key_1', job: undefined, requestId: undefined }
      const ids = await make(
        store,
        SIZES.map((size) =>
          creation(
            'contact',
            {},
            {
              by,
              decide: (state) => ({
                ...created(state),
                changed: () => ({
                  ...{ action: 'created', version: 1, fields: '[]', previousAtMs: null },
                  oldValues: JSON.stringify(padded(size / 2)),
                  newValues: JSON.stringify(padded(size / 2)),
                }),
              }),
            },
          ),
        ),
      )
      for (const more of [{}, { keyIds: ['key_1', 'key_2'] }, { resource: 'contact' } as const]) {
        const read: ReadPage = async (limit, olderThanId) => {
          const { entries, nextOlderThanId } = await store.history({ limit, olderThanId, ...more })
          const texts = entries.map(({ recordId, oldValues, newValues }) => {
            expect(oldValues).toContain('pad')
            return JSON.stringify({
              id: recordId,
              oldValues: JSON.parse(oldValues ?? ''),
              newValues: JSON.parse(newValues ?? ''),
            })
          })
          return { texts, nextOlderThanId }
        }
        for (const limit of [3, 500]) expect(idsIn(await walk(limit, read))).toEqual(ids)
      }
    })
  })
}
