import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { startLimitedApp } from '../api/limited-app.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'

const keyed = (url: URL, home = emptyHome()) => ({ ...home, CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() })

test('a list that --limit cut continues with the command on stderr, where the next page is an address', async () => {
  const { url } = await startServer((response, request) => {
    const page = Number(new URL(request.path, 'http://list').searchParams.get('page') ?? 1)
    const next = page < 3 ? `/v1/contacts?page=${page + 1}&per=a%20b` : null
    sendJson(response, 200, { data: [{ id: `con_${page}` }], next })
  })
  const home = emptyHome()
  const connector = join(home.HOME, 'linked.yaml')
  writeFileSync(connector, 'connector: 2\nname: linked\nextends: contract\npaging: { by: next_url, next: next }\n')
  const env = { ...keyed(url, home), CRM_CONNECTOR: connector }
  const first = await crm(['contacts', 'list', '--limit', '1', '-o', 'id'], env)
  expect(first).toMatchObject({ exit: 0, stdout: 'con_1\n' })
  const cursor = /--cursor '([^']+)'\n$/.exec(first.stderr)?.[1] ?? expect.fail(first.stderr)
  expect(cursor).toBe('?/v1/contacts?page=2&per=a%20b')
  expect(await crmPrints(['contacts', 'list', '-o', 'id', '--cursor', cursor], env)).toBe('con_2\ncon_3\n')
})

test('one process that deletes 500 contacts keeps to the limit of an express app', async () => {
  const { url, counts } = await startLimitedApp('draft-8', 250, 1000)
  const ids = Array.from({ length: 500 }, (_, n) => `con_${n}\n`).join('')
  const { exit, stderr } = await crm(['contacts', 'delete', '-', '--yes', '--expect', '500'], keyed(url), ids)
  expect(exit, stderr).toBe(0)
  expect(counts).toMatchObject({ deleted: 500 })
  expect(counts.refused).toBeLessThanOrEqual(10)
})

test('a deprecated endpoint is reported once per process, and with a settings folder once a day', async () => {
  const { url } = await startServer((response) =>
    sendJson(
      response,
      200,
      { data: [], next_cursor: null, has_more: false },
      {
        deprecation: '@1767225600',
        sunset: 'Wed, 31 Dec 2036 23:59:59 GMT',
        link: '</v2/contacts>; rel="successor-version"',
      },
    ),
  )
  const warning = `Warning: GET /v1/contacts of ${url.origin}: deprecated as of 2026-01-01, available until 2036-12-31, successor: /v2/contacts\n`
  const home = emptyHome()
  for (let i = 0; i < 2; i += 1) {
    expect(await crm(['contacts', 'list'], keyed(url, home))).toMatchObject({
      exit: 0,
      stderr: `${warning}No contacts.\n`,
    })
  }
  expect(readdirSync(home.HOME)).toEqual([])

  await crmPrints(['config', 'set', 'base_url', 'https://other.example', '-p', 'other'], home)
  expect((await crm(['contacts', 'list'], keyed(url, home))).stderr).toContain(warning)
  expect(await crm(['contacts', 'list'], keyed(url, home))).toMatchObject({ stderr: 'No contacts.\n' })
})
