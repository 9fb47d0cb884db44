import { expect, test } from 'vitest'
import { type Answering, sendJson } from '../answering-server.ts'
import { allPages, failureOf } from '../client-fixture.ts'
import { asked, connectedTo } from './connected.ts'

const RESOURCE = `objects:\n  contacts: { path: /people, verbs: { list: { items: 'data[]' } }, fields: { name: full_name } }`

function connector(paging: string): string {
  return `paging: ${paging}\n${RESOURCE}`
}

const PEOPLE = Array.from({ length: 7 }, (_, n) => ({ id: n + 1, full_name: `Person ${n + 1}` }))

/** Pages of a size that the server chooses. */
const byPage =
  (size: number, more: (page: number) => object = () => ({})): Answering =>
  (response, request) => {
    const page = Number(asked(request, 'page') ?? 1)
    sendJson(response, 200, { data: PEOPLE.slice((page - 1) * size, page * size), ...more(page) })
  }

async function idsOf(lines: string, answer: Answering, limit?: number) {
  const { api, seen } = await connectedTo(lines, answer)
  const pages = await allPages(api.contacts.list({ limit }))
  return { ids: pages.flatMap(({ items }) => items.map(({ id }) => id)), requests: seen.length, seen }
}

const ALL = PEOPLE.map(({ id }) => String(id))

test('without items, the answer itself is the list; an object is an error that says so', async () => {
  const lines = RESOURCE.replace("items: 'data[]'", 'paging: none')
  expect((await idsOf(lines, (response) => sendJson(response, 200, PEOPLE))).ids).toEqual(ALL)
  const { api } = await connectedTo(lines, (response) => sendJson(response, 200, { data: PEOPLE }))
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain(
    'expected a list at [], got an object with data',
  )
})

test('a list by cursor ends where the cursor is null or empty, or absent where that is declared', async () => {
  for (const [end, absent] of [
    [{}, ', absent: true'],
    [{ next: null }, ''],
    [{ next: '' }, ''],
  ] as const) {
    const answer: Answering = (response, request) => {
      const isFirst = asked(request, 'after') === null
      sendJson(response, 200, isFirst ? { data: PEOPLE.slice(0, 4), next: 'c2' } : { data: PEOPLE.slice(4), ...end })
    }
    const { ids, requests } = await idsOf(connector(`{ by: cursor, param: after, next: next${absent} }`), answer)
    expect(ids).toEqual(ALL)
    expect(requests).toBe(2)
  }
})

test.each([
  ['by cursor', '{ by: cursor, param: after, next: paging.after }', 'expected paging.after, which leads'],
  [
    'by cursor, with a flag',
    '{ by: cursor, param: after, next: paging.after, absent: true, more: paging.more }',
    'expected paging.after or paging.more',
  ],
  ['by address', '{ by: next_url, next: paging.next }', 'expected paging.next, which leads'],
  ['by offset', '{ by: offset, param: from, next: paging.from }', 'expected paging.from, which leads'],
  [
    'by page, with a flag',
    '{ by: page, param: page, more: paging.more }',
    'paging.more is absent, expected true or false',
  ],
  ['in one answer, with a total', '{ by: none, total: paging.all }', 'paging.all is absent, expected the number'],
])('a list %s is not read short where the path of its end is wrong', async (_, paging, message) => {
  const { api } = await connectedTo(connector(paging), (response) =>
    sendJson(response, 200, { data: PEOPLE.slice(0, 4), next: 'c2', has_more: true }),
  )
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain(message)
})

test.each([
  [
    'cursor',
    '{ by: cursor, param: after, next: next }',
    (page: number) => ({ next: page < 3 ? `c${page + 1}` : null }),
  ],
  ['the last id', '{ by: last, param: after, more: more }', (page: number) => ({ more: page < 3 })],
])('a record that comes again by %s is an error, not left out', async (_, paging, ends) => {
  let page = 0
  const { api } = await connectedTo(connector(paging), (response) => {
    page += 1
    sendJson(response, 200, { data: PEOPLE.slice((page - 1) * 2, (page - 1) * 2 + 3), ...ends(page) })
  })
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain('3 was on an earlier page')
})

test('records without an id are no list', async () => {
  const { api } = await connectedTo(connector('none'), (response) =>
    sendJson(response, 200, { data: PEOPLE.map(({ id, ...person }) => ({ key: id, ...person })) }),
  )
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain(
    'expected the id of each record at id, got an object with key, full_name',
  )
})

test('more without a cursor is an error, and so is a cursor that is no text', async () => {
  const lines = connector('{ by: cursor, param: after, next: next, more: more }')
  const promised = await connectedTo(lines, (response) => sendJson(response, 200, { data: PEOPLE, more: true }))
  expect((await failureOf(allPages(promised.api.contacts.list()))).message).toContain(
    'more is true, and there is no next',
  )
  const odd = await connectedTo(lines, (response) => sendJson(response, 200, { data: PEOPLE, next: { at: 3 } }))
  expect((await failureOf(allPages(odd.api.contacts.list()))).message).toContain('expected a cursor')
})

test('a cursor that is repeated, and a page of records that were read, are errors', async () => {
  const lines = connector('{ by: cursor, param: after, next: next }')
  const same = await connectedTo(lines, (response) => sendJson(response, 200, { data: PEOPLE, next: 'c2' }))
  expect((await failureOf(allPages(same.api.contacts.list()))).message).toContain('records of an earlier page')
  let made = 0
  const empty = await connectedTo(lines, (response) => sendJson(response, 200, { data: [{ id: made++ }], next: 'c2' }))
  expect((await failureOf(allPages(empty.api.contacts.list()))).message).toContain('repeated the next page')
})

test('numbered pages end at an empty one, at the stated number of pages, and at the total', async () => {
  const paged = (more: string) => connector(`{ by: page, param: page, ${more}size: { param: limit, max: 3 } }`)
  expect(await idsOf(paged(''), byPage(3))).toMatchObject({ ids: ALL, requests: 3 })
  expect(
    await idsOf(
      paged('pages: pages, '),
      byPage(3, () => ({ pages: 3 })),
    ),
  ).toMatchObject({ ids: ALL, requests: 3 })
  expect(
    await idsOf(
      paged('total: total, '),
      byPage(7, () => ({ total: 7 })),
    ),
  ).toMatchObject({ ids: ALL, requests: 1 })
})

const emptyFirst =
  (whereIsNext: (page: number) => object): Answering =>
  (response, request) => {
    const page = Number(asked(request, 'page') ?? asked(request, 'after') ?? 1)
    sendJson(response, 200, {
      data: page === 2 ? [] : PEOPLE.slice(page === 1 ? 0 : 4, page === 1 ? 4 : 7),
      ...whereIsNext(page),
    })
  }

test.each([
  ['{ by: cursor, param: after, next: next }', (page: number) => ({ next: page < 3 ? page + 1 : null })],
  ['{ by: page, param: page, more: more, size: { param: limit, max: 4 } }', (page: number) => ({ more: page < 3 })],
  ['{ by: page, param: page, pages: pages, size: { param: limit, max: 4 } }', () => ({ pages: 3 })],
])('an empty page does not end a list whose answer states that there are more: %s', async (paging, stated) => {
  const { ids, requests } = await idsOf(connector(paging), emptyFirst(stated))
  expect(ids).toEqual(ALL)
  expect(requests).toBe(3)
})

test('empty pages without an end are an error, and so is a list that ends before its total', async () => {
  const cursor = '{ by: cursor, param: after, next: next, total: total }'
  const endless = await connectedTo(connector(cursor), (response, request) =>
    sendJson(response, 200, { data: [], next: Number(asked(request, 'after') ?? 0) + 1 }),
  )
  expect((await failureOf(allPages(endless.api.contacts.list()))).message).toContain('100 consecutive pages are empty')
  const ended = await connectedTo(connector(cursor), (response, request) => {
    const isFirst = asked(request, 'after') === null
    sendJson(
      response,
      200,
      isFirst ? { data: PEOPLE.slice(0, 2), next: 2, total: 7 } : { data: [], next: null, total: 7 },
    )
  })
  const failure = await failureOf(allPages(ended.api.contacts.list()))
  expect([failure.code, failure.message]).toEqual(['bad_answer', expect.stringContaining('total states 7')])
})

test('a short first page of a server that may not obey the size is not taken for the last one', async () => {
  const { ids, requests } = await idsOf(
    connector('{ by: page, param: page, size: { param: limit, max: 100 } }'),
    byPage(2),
  )
  expect(ids).toEqual(ALL)
  expect(requests).toBe(5)
})

test('a list that ends before its total is an error', async () => {
  const lines = connector('{ by: page, param: page, total: total, size: { param: limit, max: 3 } }')
  const { api } = await connectedTo(
    lines,
    byPage(3, () => ({ total: 30 })),
  )
  const error = await failureOf(allPages(api.contacts.list()))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toContain('total states 30, but the list ended after 7 records')
})

test('an offset counts what the server sent, also elements that are not part of the list', async () => {
  const lines = `paging: { by: offset, param: skip, start: 0, size: { param: limit, max: 3 } }
objects:
  contacts: { path: /people, record: { deleted: gone }, verbs: { list: { items: 'data[]' } }, fields: { name: full_name } }`
  const rows = PEOPLE.map((person, n) => (n === 1 ? { ...person, gone: true } : person))
  const { ids, seen } = await idsOf(lines, (response, request) => {
    const skip = Number(asked(request, 'skip'))
    sendJson(response, 200, { data: rows.slice(skip, skip + 3) })
  })
  expect(ids).toEqual(ALL.filter((id) => id !== '2'))
  expect(seen.map((request) => asked(request, 'skip'))).toEqual(['0', '3', '6'])
})

test('a list of POST has its page in the body', async () => {
  const lines = `paging: { by: offset, in: body, param: offset, size: { param: limit, max: 4 } }
objects:
  contacts:
    path: /people
    verbs:
      list: { method: POST, path: '{object}/query', items: 'data[]', body: { sort: id } }
    fields: { name: full_name }`
  const { ids, seen } = await idsOf(lines, (response, { body }) => {
    const { offset, limit } = JSON.parse(body)
    sendJson(response, 200, { data: PEOPLE.slice(offset, offset + limit) })
  })
  expect(ids).toEqual(ALL)
  expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
    { sort: 'id', limit: 4, offset: 0 },
    { sort: 'id', limit: 4, offset: 4 },
  ])
})

test('the address of the next page is followed on the same origin alone', async () => {
  const lines = connector('{ by: next_url, next: next, absent: true }')
  const good = await connectedTo(lines, (response, request) => {
    const isFirst = asked(request, 'p') === null
    sendJson(response, 200, isFirst ? { data: PEOPLE.slice(0, 4), next: '/people?p=2' } : { data: PEOPLE.slice(4) })
  })
  expect((await allPages(good.api.contacts.list())).flatMap(({ items }) => items)).toHaveLength(7)
  const other = 'http://127.0.0.1:9/people?p=2'
  const bad = await connectedTo(lines, (response) => sendJson(response, 200, { data: PEOPLE, next: other }))
  const error = await failureOf(allPages(bad.api.contacts.list()))
  expect(error.message).toContain(`the next page, ${other}, is not on http://127.0.0.1:`)
  expect(bad.seen).toHaveLength(1)
})

test('records that are listed again do not count towards the total', async () => {
  const lines = connector('{ by: page, param: page, total: total, size: { param: per, max: 3 } }')
  // Takes the number of the page for that of a record.
  const { ids } = await idsOf(lines, (response, request) => {
    const from = Number(asked(request, 'page')) - 1
    sendJson(response, 200, { data: PEOPLE.slice(from, from + 3), total: 7 })
  })
  expect(ids).toEqual(ALL)
})

test('a record that is added while the list is read ends it without a further request', async () => {
  const lines = connector('{ by: page, param: page, total: total, size: { param: per, max: 4 } }')
  const added = { id: 0, full_name: 'New' }
  const { ids, requests } = await idsOf(lines, (response, request) => {
    const page = Number(asked(request, 'page'))
    const all = page === 1 ? PEOPLE : [added, ...PEOPLE]
    sendJson(response, 200, { data: all.slice((page - 1) * 4, page * 4), total: all.length })
  })
  expect({ ids, requests }).toEqual({ ids: ALL, requests: 2 })
})

test('the ceiling of a list is an error, never its end', async () => {
  const lines = connector('{ by: page, param: page, most: 6, size: { param: limit, max: 3 } }')
  const { api } = await connectedTo(lines, byPage(3))
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain(
    'it has the 6 records that "most" of its paging names',
  )
  const stated = connector('{ by: page, param: page, total: total, most: 7, size: { param: limit, max: 7 } }')
  const counted = (total: number) => byPage(7, () => ({ total }))
  expect((await idsOf(stated, counted(7))).ids).toEqual(ALL)
  const more = await connectedTo(stated, counted(8))
  expect((await failureOf(allPages(more.api.contacts.list()))).message).toContain(
    'it has the 7 records that "most" of its paging names',
  )
})

test('--limit ends a list without a further request, and the cursor continues it', async () => {
  const lines = connector('{ by: page, param: page, size: { param: limit, max: 3 } }')
  const { api, seen } = await connectedTo(lines, byPage(3))
  const first = await allPages(api.contacts.list({ limit: 3 }))
  expect(first.at(-1)).toMatchObject({ nextCursor: '2' })
  expect(seen).toHaveLength(1)
  const rest = await allPages(api.contacts.list({ cursor: '2' }))
  expect(rest.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ALL.slice(3))
})

test('a record that a page repeats is listed once, and two records with one id are an error', async () => {
  const [ada, bob] = PEOPLE
  const once = await idsOf(connector('none'), (response) => sendJson(response, 200, { data: [ada, bob, ada] }))
  expect(once.ids).toEqual(['1', '2'])
  const other = { ...ada, full_name: 'Eve' }
  const { api } = await connectedTo(connector('none'), (response) => sendJson(response, 200, { data: [ada, other] }))
  const error = await failureOf(allPages(api.contacts.list()))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toContain('two different records have the id 1')
})

test.each<[string, Answering]>([
  ['null', (response) => sendJson(response, 200, { data: null })],
  ['204', (response) => void response.writeHead(204).end()],
])('%s is an empty list only where the connector declares it', async (empty, none) => {
  const paging = '{ by: cursor, param: after, next: next, absent: true }'
  const { api } = await connectedTo(connector(paging), none)
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain('expected a list at data[]')
  const declared = connector(paging).replace("items: 'data[]'", `items: 'data[]', empty: ${empty}`)
  expect(await idsOf(declared, none)).toMatchObject({ ids: [], requests: 1 })
})

test('a cursor beside a false flag is the end, or an error where both must say the same', async () => {
  const answer: Answering = (response) => sendJson(response, 200, { data: PEOPLE, next: 'c2', more: false })
  const paging = (agree: string) => connector(`{ by: cursor, param: after, next: next, more: more${agree} }`)
  const { api, seen } = await connectedTo(paging(''), answer)
  expect((await allPages(api.contacts.list())).flatMap(({ items }) => items)).toHaveLength(PEOPLE.length)
  expect(seen).toHaveLength(1)
  const strict = await connectedTo(paging(', agree: true'), answer)
  const { exit, message } = await failureOf(allPages(strict.api.contacts.list()))
  expect([exit, message]).toEqual([7, expect.stringContaining('more is false, and next leads to another page')])
})

test('an answer without the list is an error', async () => {
  const { api } = await connectedTo(connector('none'), (response) => sendJson(response, 200, { people: PEOPLE }))
  expect((await failureOf(allPages(api.contacts.list()))).message).toContain('expected a list at data[]')
})

test('records within others may have the same id in each of them', async () => {
  const lines = `objects:
  stages:
    path: /pipelines
    verbs:
      list: { items: 'data[].stages[]', up: { pipeline_id: id }, paging: none }
    fields: { name: label, pipeline_id: pipeline_id }`
  const stages = ['Prospect', 'Offer'].map((label, n) => ({ id: 10 * (n + 1), label }))
  const data = ['p1', 'p2'].map((id) => ({ id, stages }))
  const { api } = await connectedTo(lines, (response) => sendJson(response, 200, { data }))
  const listed = (await allPages(api.stages('p2').list())).flatMap(({ items }) => items)
  expect(listed.map(({ id, pipeline_id }) => [id, pipeline_id])).toEqual([
    ['10', 'p2'],
    ['20', 'p2'],
  ])
})

test('records that move to an earlier page, because others are deleted meanwhile, are listed where the total shows it', async () => {
  const lines = connector('{ by: page, param: page, size: { param: n, max: 3 }, total: total }')
  const deleting = (deleted: number): Answering => {
    let requests = 0
    return (response, request) => {
      requests += 1
      const left = requests === 1 ? PEOPLE : PEOPLE.slice(deleted)
      const page = Number(asked(request, 'page') ?? 1)
      sendJson(response, 200, { data: left.slice((page - 1) * 3, page * 3), total: left.length })
    }
  }
  const { ids } = await idsOf(lines, deleting(1))
  expect(ids.toSorted()).toEqual(ALL)
  await expect(idsOf(lines, deleting(5))).rejects.toThrow('5 records were deleted while it was read')
})
