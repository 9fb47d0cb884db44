import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { NOTHING, probed } from './probe-server.ts'

/** Nested, without a member `id`, in an order of its own. */
function people(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, n) => ({
    uuid: `u-${(n * 7919) % 10_007}`,
    full_name: `Person ${n}`,
    contact: { emails: [{ type: 'work', address: `p${n}@example.com` }], phones: [{ number: `+49 30 ${n}` }] },
  }))
}

type Render = (query: URLSearchParams, all: readonly JsonObject[]) => JsonObject

const numberIn = (query: URLSearchParams, name: string, otherwise: number) => Number(query.get(name) ?? otherwise)

/** A page with its start, and whether it is the last one. */
function cut(all: readonly JsonObject[], start: number, size: number) {
  return { items: all.slice(start, start + size), isLast: start + size >= all.length }
}

const SERVERS: Readonly<Record<string, readonly [Render, string]>> = {
  'the number of the next page': [
    (query, all) => {
      const [page, size] = [numberIn(query, 'page', 1), Math.min(numberIn(query, 'size', 20), 50)]
      const { items, isLast } = cut(all, (page - 1) * size, size)
      return { content: items, page: { number: page, size, next: isLast ? null : page + 1 } }
    },
    'by: cursor, param: page, next: page.next',
  ],
  'an offset, and whether there are more': [
    (query, all) => {
      const [offset, limit] = [numberIn(query, 'offset', 0), Math.min(numberIn(query, 'limit', 20), 100)]
      const { items, isLast } = cut(all, offset, limit)
      return { data: items, pagination: { offset, limit, returned: items.length, has_more: !isLast } }
    },
    'by: offset, param: offset, more: pagination.has_more',
  ],
  'a cursor in the body': [
    (query, all) => {
      const start = Number(Buffer.from(query.get('after') ?? 'MA==', 'base64').toString())
      if (Number.isNaN(start)) return { status: 400, json: { message: 'no such cursor' } }
      const { items, isLast } = cut(all, start, Math.min(numberIn(query, 'limit', 25), 100))
      return {
        data: items,
        meta: { cursors: { before: null, after: isLast ? null : btoa(`${start + items.length}`) } },
      }
    },
    'by: cursor, param: after, next: meta.cursors.after',
  ],
  'records in wrappers of their own': [
    (query, all) => {
      const [page, size] = [numberIn(query, 'page', 1), Math.min(numberIn(query, 'per_page', 20), 50)]
      const { items } = cut(all, (page - 1) * size, size)
      return { data: items.map((person) => ({ person, score: 1 })), total: all.length }
    },
    'by: page, param: page, total: total',
  ],
}

const RUNS = Object.entries(SERVERS).flatMap(([name, [render, paging]]) =>
  [4, 137].map((few) => ({ name, few, render, paging })),
)

test.each(RUNS)(
  '$name is drafted from $few records, without a question, and lists 400',
  async ({ few, render, paging }) => {
    let all = people(few)
    const { made, text, list } = await probed(
      ({ path, query }) => (path === '/people' ? { json: render(query, all) } : NOTHING),
      [],
    )
    expect({ exit: made.exit, text }).toEqual({ exit: 0, text: expect.stringContaining(paging) })
    expect(text).toContain("email: { at: 'contact.emails[0].address', fold: case }, phone: 'contact.phones[0].number'")
    all = people(400)
    expect((await list()).stdout).toBe(all.map(({ uuid }) => `${uuid}\n`).join(''))
  },
)

const BY_LAST_ID: Render = (query, all) => {
  const from = query.get('from')
  const start = from === null ? 0 : all.findIndex(({ uuid }) => uuid === from) + 1
  if (start === 0 && from !== null) return { status: 400, json: { message: 'no such record' } }
  const { items, isLast } = cut(all, start, Math.min(numberIn(query, 'per', 25), 50))
  return { data: items, page: { from: isLast ? null : (items.at(-1)?.uuid ?? null), of: all.length } }
}

test('the id of the last record is the cursor under any name, where a second page is there', async () => {
  let all = people(137)
  const { made, text, list } = await probed(
    ({ path, query }) => (path === '/people' ? { json: BY_LAST_ID(query, all) } : NOTHING),
    [],
  )
  expect([made.exit, text]).toEqual([0, expect.stringContaining('by: cursor, param: from, next: page.from')])
  all = people(400)
  expect((await list()).stdout).toBe(all.map(({ uuid }) => `${uuid}\n`).join(''))
})

/** Where the next cursor stands in an answer, and the parameter that takes it. */
const CURSORS: readonly (readonly [at: string, param: string])[] = [
  ['next', 'from'],
  ['nextFrom', 'from'],
  ['page.from', 'from'],
  ['page.continueFrom', 'from'],
  ['next', 'since'],
  ['since', 'since'],
  ['nextSince', 'since'],
  ['meta.next', 'start_cursor'],
  ['meta.cursor', 'next'],
  ['continuation', 'continuationToken'],
  ['continuationToken', 'continuation'],
  ['nextToken', 'nextToken'],
  ['nextPageToken', 'pageToken'],
  ['paging.lastKey', 'startKey'],
  ['last_evaluated_key', 'exclusive_start_key'],
  ['nextCursorMark', 'cursorMark'],
  ['meta.resume', 'resume'],
  ['cursor', 'position'],
  ['paging.next', 'anchor'],
]

test.each(CURSORS)('a cursor at %s is sent as %s', async (at, param) => {
  const all = people(137)
  const seal = (start: number) => Buffer.from(`after ${start}`).toString('hex')
  const { made, text, list } = await probed(({ path, query }) => {
    if (path !== '/people') return NOTHING
    const cursor = query.get(param)
    const start = cursor === null ? 0 : Number(Buffer.from(cursor, 'hex').toString().slice('after '.length) || 'none')
    if (Number.isNaN(start)) return { status: 400, json: { message: 'no such cursor' } }
    const { items, isLast } = cut(all, start, 25)
    const [outer = '', inner] = at.split('.')
    const next = isLast ? null : seal(start + items.length)
    return { json: { data: items, [outer]: inner === undefined ? next : { [inner]: next } } }
  }, [])
  expect([made.exit, text]).toEqual([0, expect.stringContaining(`by: cursor, param: ${param}, next: ${at}`)])
  expect((await list()).stdout).toBe(all.map(({ uuid }) => `${uuid}\n`).join(''))
})

test.each(['from', 'since', 'lastId', 'marker'])('the id of the last record is sent as %s', async (param) => {
  const all = people(137)
  const { made, text, list } = await probed(({ path, query }) => {
    const last = query.get(param)
    const start = last === null ? 0 : all.findIndex(({ uuid }) => uuid === last) + 1
    if (start === 0 && last !== null) return { status: 400, json: { message: 'no such record' } }
    return path === '/people' ? { json: { data: all.slice(start, start + 25) } } : NOTHING
  }, [])
  expect([made.exit, text]).toEqual([0, expect.stringContaining(`by: last, param: ${param}`)])
  expect((await list()).stdout).toBe(all.map(({ uuid }) => `${uuid}\n`).join(''))
})

test('what answers at a usual path, and is no list, is named', async () => {
  const { made } = await probed(
    ({ path }) => (path === '/people' ? { status: 400, json: { message: 'size is required' } } : NOTHING),
    [],
  )
  expect(made).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('cannot read /people: size is required (400)'),
  })
})
