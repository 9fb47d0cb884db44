import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, emptyHome } from '../../harness/home.ts'
import { newKey } from '../../harness/service.ts'
import { examined } from './examined.ts'

// No number that servers use for pages: a whole list of 300 may be the first page of a longer one.
const PEOPLE = Array.from({ length: 303 }, (_, n) => ({ id: `con_${n + 1}` }))
const ALL = PEOPLE.map(({ id }) => `${id}\n`).join('')

type Answer = (query: URLSearchParams) => { readonly json: unknown; readonly headers?: object }

/** A server of two lists, and a home with a profile of it. */
async function startLists(answer: Answer): Promise<Env> {
  const { url } = await startServer((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://lists')
    if (!/^\/v1\/(?:contacts|deals)$/.test(pathname)) return sendJson(response, 404, { message: 'no' })
    const { json, headers } = answer(searchParams)
    sendJson(response, 200, json, headers)
  })
  const home = emptyHome()
  await crmPrints(['config', 'set', 'base_url', url.origin, '-p', 'other'], home)
  return { ...home, CRM_PROFILE: 'other', CRM_API_KEY: newKey() }
}

/** json-server 0.17: every parameter without an underscore is a filter, and `_page` alone is answered with Link. */
const jsonServer017: Answer = (query) => {
  const names = [...query.keys()]
  if (names.some((name) => !name.startsWith('_'))) return { json: [] }
  const [size, page] = [Number(query.get('_limit') ?? 10), query.get('_page')]
  if (page === null && !query.has('_limit')) return { json: PEOPLE }
  const start = (Number(page ?? 1) - 1) * size
  return { json: PEOPLE.slice(start, start + size), headers: { 'x-total-count': `${PEOPLE.length}` } }
}

/** OData: pages of the server have a link to the next one, those of `$top` do not. */
const odata: Answer = (query) => {
  const start = Number(query.get('$skiptoken') ?? 0)
  if (query.has('$top')) return { json: { value: PEOPLE.slice(0, Number(query.get('$top'))) } }
  const next = start + 20 < PEOPLE.length ? { '@odata.nextLink': `contacts?$skiptoken=${start + 20}` } : {}
  return { json: { value: PEOPLE.slice(start, start + 20), ...next } }
}

test.each([
  ['json-server 0.17', jsonServer017],
  ['OData, whose $top hides the link to the next page', odata],
])('--fix leaves the list of %s whole', { timeout: 60_000 }, async (_, answer) => {
  const env = await startLists(answer)
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe(ALL)
  const { exit, document } = await examined(env, '--fix')
  expect(exit).toBe(0)
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env), JSON.stringify(document.settings)).toBe(ALL)
})

test('a setting that would yield fewer records is not proposed, and the check states it', async () => {
  const env = await startLists(odata)
  const { settings, seen } = await examined(env)
  expect(settings.filter((setting) => setting.includes('$top'))).toEqual([])
  expect(seen('page_size')).toMatch(/with wire\.limit_param=\$top the list has \d+ records.*, without it 303 records/)
})

test('a list that is cut off fails doctor, with the evidence', async () => {
  const env = await startLists(() => ({ json: { data: PEOPLE.slice(0, 20), meta: { total: 300 } } }))
  const { exit, states, seen } = await examined(env)
  expect(exit).toBe(7)
  expect(states).toMatchObject({ paging: 'fail' })
  expect(seen('paging')).toContain('meta.total states 300 records, but the list has 20')
  expect((await crm(['contacts', 'list'], env)).exit).toBe(7)
})
