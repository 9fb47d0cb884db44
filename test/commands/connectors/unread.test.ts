import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'

const ABSENT = '{ by: next_url, next: links.next, absent: true }'

/** What `connectors check` says of a list of one answer. */
async function checked(
  paging: string,
  count: number,
  beside: JsonObject,
  headers: Readonly<Record<string, string>> = {},
) {
  const data = Array.from({ length: count }, (_, n) => ({ id: `p${n}` }))
  const { url } = await startServer((response) => sendJson(response, 200, { data, ...beside }, headers))
  const home = emptyHome()
  const file = join(home.HOME, 'theirs.yaml')
  const list = `{ items: 'data[]', paging: ${paging} }`
  writeFileSync(
    file,
    `connector: 2\nname: theirs\nobjects: { contacts: { path: /people, fields: {}, verbs: { list: ${list} } } }\n`,
  )
  const env = { ...home, CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' }
  const { exit, stdout, stderr } = await crm(['connectors', 'check', '-o', 'json'], env)
  const [row] = JSON.parse(stdout) as JsonObject[]
  return { exit, state: row?.state, seen: row?.seen, stderr }
}

test.each<[string, JsonObject, Readonly<Record<string, string>>, string]>([
  ['none', { total: 45 }, {}, 'total states 45, and 20 records were found'],
  ['none', { meta: { has_more: true } }, {}, 'meta.has_more is true'],
  ['none', { next: '/people?page=2' }, {}, 'next is "/people?page=2"'],
  ['none', {}, { link: '</people?page=2>; rel="next"' }, 'the header Link leads to a next page, /people?page=2'],
  ['none', {}, { 'x-total-count': '21' }, 'x-total-count states 21, and 20 records were found'],
  [
    ABSENT,
    { paging: { next: 'https://x.test/people?after=p19' } },
    {},
    'paging.next is "https://x.test/people?after=p19"',
  ],
  ['{ by: link }', { pagination: { total_pages: 3 } }, {}, 'pagination.total_pages is 3'],
])('a list by %s is exit 7 where its answer says %j %j', async (paging, beside, headers, why) => {
  const { exit, state, seen, stderr } = await checked(paging, 20, beside, headers)
  expect([exit, state, seen]).toEqual([7, 'failed', `20 records, 1 page, and there are more: ${why}`])
  expect(JSON.parse(stderr.split('\n')[1] ?? '').error.message).toContain(why)
})

test.each<[string, number, JsonObject, string]>([
  ['none', 100, {}, '100 records are a common size of pages'],
  ['none', 250, {}, '250 records are a common size of pages'],
  ['none', 7, { cursor: null, next_cursor: 'p6' }, 'next_cursor is "p6"'],
])('a weak sign of more is a warning: %s, %d records, %j', async (paging, count, beside, why) => {
  const { exit, state, seen } = await checked(paging, count, beside)
  expect([exit, state, seen]).toEqual([0, 'warn', `${count} records, 1 page; are these all? ${why}`])
})

test.each<[string, number, JsonObject]>([
  ['none', 7, {}],
  ['none', 100, { total: 100 }],
  ['{ by: none, total: size }', 100, { size: 100 }],
  ['{ by: cursor, param: after, next: next }', 100, { next: null, total: 1 }],
])('a list that nothing contradicts is ok: %s, %d records, %j', async (paging, count, beside) => {
  expect(await checked(paging, count, beside)).toMatchObject({ exit: 0, state: 'ok' })
})
