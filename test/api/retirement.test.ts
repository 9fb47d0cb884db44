import { expect, test } from 'vitest'
import type { Notice } from '../../src/api/options.ts'
import { readRetirement } from '../../src/api/transport/headers.ts'
import { sendJson, startServer } from './answering-server.ts'
import { NO_KEY, openClient } from './client-fixture.ts'

const SUNSET = 'Wed, 31 Dec 2026 23:59:59 GMT'

test.each<[Record<string, string>, string | undefined]>([
  [{ deprecation: '@1688169599' }, 'deprecated as of 2023-06-30'],
  [{ deprecation: 'true', sunset: SUNSET }, 'deprecated, available until 2026-12-31'],
  [{ deprecation: 'Fri, 30 Jun 2023 23:59:59 GMT' }, 'deprecated as of 2023-06-30'],
  [
    { sunset: SUNSET, link: '</v2/contacts>; rel="successor-version", <https://a.example/d>; rel="deprecation"' },
    'available until 2026-12-31, successor: /v2/contacts, details: https://a.example/d',
  ],
  [{ deprecation: 'maybe', sunset: 'never' }, undefined],
  [{ deprecation: '@99999999999999999999' }, undefined],
  [{ deprecation: '@999999999999' }, undefined],
  [{}, undefined],
])('%j reads %j', (headers, text) => {
  expect(readRetirement(headers)).toBe(text)
})

test('deprecation is reported once, with the server and the request', async () => {
  const { url } = await startServer((response) => sendJson(response, 201, { id: '1' }, { deprecation: '@1688169599' }))
  const notices: Notice[] = []
  const { api } = openClient(url, { onNotice: async (notice) => void notices.push(notice) })
  await api.contacts.create({}, NO_KEY)
  await api.contacts.create({}, NO_KEY)
  expect(notices).toEqual([{ host: url.host, text: `POST /v1/contacts of ${url.origin}: deprecated as of 2023-06-30` }])
})
