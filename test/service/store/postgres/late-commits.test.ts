import { expect, test } from 'vitest'
import { decodeId } from '../../../../src/core/ids.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { allContacts, created, creation, idOf } from '../samples.ts'
import { holdWrites } from './held-writes.ts'

const idsOf = (texts: readonly string[]): readonly string[] => texts.map((text) => JSON.parse(text).id)

test('no page shows a record while an older one can still be committed', async () => {
  const address = await newPostgres()
  const [late, quick, reader] = (await Promise.all([1, 2, 3].map(() => openTestStore({ address })))) as [
    Store,
    Store,
    Store,
  ]
  const { isHeld, release } = await holdWrites(address)
  const first = idOf(await reader.write(creation('contact')))
  let lateId = ''
  const held = late.write({
    ...creation('contact'),
    decide: (state) => {
      lateId = state.id
      return created(state, { name: 'held' })
    },
  })
  await expect.poll(isHeld).toBe(true)
  let isDone = false
  const after = quick.write(creation('contact', { name: 'quick' })).finally(() => {
    isDone = true
  })
  for (let read = 0; read < 50; read++) {
    expect(idsOf(await allContacts(reader))).toEqual([first])
    const page = await reader.joinedPage('contact', { limit: 10, olderThanId: undefined })
    expect(page.text).not.toContain('quick')
  }
  expect(isDone).toBe(false)
  await release()
  expect(idOf(await held)).toBe(lateId)
  const afterId = idOf(await after)
  expect(idsOf(await allContacts(reader))).toEqual([afterId, lateId, first])
})

test('with writers in several processes a read list has every record up to its newest', async () => {
  const address = await newPostgres()
  const other = await connectTo(address)
  // A transaction takes up to 4 ms between its ids and its end.
  await other.query(`
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(random() * 0.004); RETURN NULL; END $$;
    CREATE TRIGGER slow AFTER INSERT ON contacts FOR EACH STATEMENT EXECUTE FUNCTION slow()`)
  const writers = await Promise.all([1, 2, 3].map(() => openTestStore({ address })))
  const reader = await openTestStore({ address })
  const made: string[] = []
  const lists: (readonly string[])[] = []
  const writing = Promise.all(
    writers.map(async (store) => {
      for (let n = 0; n < 60; n++) made.push(idOf(await store.write(creation('contact'))))
    }),
  )
  let isOver = false
  void writing.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const acknowledged = made.length
    const list = idsOf(await allContacts(reader))
    expect(made.slice(0, acknowledged).filter((id) => !list.includes(id))).toEqual([])
    lists.push(list)
  }
  await writing
  const all = idsOf(await allContacts(reader))
  expect(all).toHaveLength(180)
  expect(all).toEqual(all.toSorted((a, b) => (decodeId('contact', b) ?? 0) - (decodeId('contact', a) ?? 0)))
  expect(lists.length).toBeGreaterThan(20)
  for (const list of lists) {
    const [newest] = list
    expect(list).toEqual(newest === undefined ? [] : all.slice(all.indexOf(newest)))
  }
})
