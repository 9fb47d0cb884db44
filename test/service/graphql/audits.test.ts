import { serverAudits } from 'graphql-http'
import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

test('all 61 audits of GraphQL over HTTP pass, also the warnings', async () => {
  const { url, key } = await serveForTest()
  const audits = serverAudits({
    url: `${url}/v1/graphql`,
    fetchFn: (address: string, init: RequestInit = {}) =>
      fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${key.text}` } }),
  })
  const failed: string[] = []
  for (const audit of audits) {
    const result = await audit.fn()
    if (result.status !== 'ok') failed.push(`${result.status}: ${result.name}: ${result.reason}`)
  }
  expect(audits).toHaveLength(61)
  expect(failed).toEqual([])
})
