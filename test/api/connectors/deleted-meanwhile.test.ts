import { expect, test } from 'vitest'
import { type Answering, sendJson } from '../answering-server.ts'
import { allPages, failureOf } from '../client-fixture.ts'
import { asked, connectedTo } from './connected.ts'

const SIZE = 3
const COUNT = 10

const idsOf = (from: number) => Array.from({ length: COUNT - from }, (_, n) => String(from + n + 1))

/** How the next page is asked for, and how the answer leads there. */
const PAGINGS = {
  page: '{ by: page, param: page, total: total, size: { param: n, max: 3 } }',
  offset: '{ by: offset, param: skip, total: total, size: { param: n, max: 3 } }',
  link: '{ by: link, total: total }',
  next_url: '{ by: next_url, next: next, total: total }',
  cursor: '{ by: cursor, param: after, next: cursor, total: total }',
}

/** Where a page starts, by any of the parameters; undefined behind the last record. */
function startOf(request: Parameters<typeof asked>[0], all: readonly { readonly id: number }[]): number | undefined {
  const after = asked(request, 'after')
  const page = Number(asked(request, 'page') ?? 1)
  if (after === null) return Number(asked(request, 'skip') ?? (page - 1) * SIZE)
  const at = all.findIndex(({ id }) => id > Number(after))
  return at < 0 ? undefined : at
}

/** Lists ten records; `deleted` of the first ones go before the second request. */
function shrinking(deleted: number, isTotalStale = false): Answering {
  return (response, request, nth) => {
    const all = idsOf(nth > 1 ? deleted : 0).map((id) => ({ id: Number(id) }))
    const start = startOf(request, all) ?? all.length
    const data = all.slice(start, start + SIZE)
    const isMore = start + SIZE < all.length
    const next = isMore ? `/people?skip=${start + SIZE}` : null
    const body = { data, total: isTotalStale ? COUNT : all.length, next, cursor: isMore ? data.at(-1)?.id : null }
    sendJson(response, 200, body, next ? { link: `<${next}>; rel="next"` } : {})
  }
}

function listed(paging: string, answer: Answering) {
  const lines = `paging: ${paging}\nobjects:\n  contacts: { path: /people, verbs: { list: { items: 'data[]' } }, fields: { name: name } }`
  return connectedTo(lines, answer)
}

test.each(Object.entries(PAGINGS))(
  'every record that stays is in a list by %s, when others are deleted between two pages',
  async (_, paging) => {
    for (const deleted of [1, 2, 3]) {
      const { api } = await listed(paging, shrinking(deleted))
      const ids = (await allPages(api.contacts.list())).flatMap(({ items }) => items.map(({ id }) => String(id)))
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toEqual(expect.arrayContaining(idsOf(deleted)))
    }
  },
)

test.each(['page', 'offset', 'link', 'next_url'] as const)(
  'a list by %s that lost a record, and whose total does not fall, is an error',
  async (by) => {
    const { api } = await listed(PAGINGS[by], shrinking(1, true))
    const { code, message } = await failureOf(allPages(api.contacts.list()))
    expect({ code, message }).toMatchObject({ code: 'bad_answer', message: expect.stringContaining('total states 10') })
  },
)

test.each(['page', 'offset', 'link'] as const)(
  'no page of a list by %s is read twice when nothing is deleted',
  async (by) => {
    const { api, seen } = await listed(PAGINGS[by], shrinking(0))
    await allPages(api.contacts.list())
    expect(new Set(seen.map(({ path }) => path)).size).toBe(seen.length)
  },
)
