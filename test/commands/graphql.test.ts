import { expect } from 'vitest'
import { make } from '../harness/records.ts'
import { pastPrism } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

test('the built service answers GraphQL and its OpenAPI document', async ({ service }) => {
  const [id] = await make(service, '/v1/contacts', [{ name: 'Ada', age: 1 }])
  const answer = await fetch(`${service.url}/v1/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'query ($id: ID!) { contact(id: $id) { name json } }', variables: { id } }),
  })
  expect(await answer.text()).toMatch(
    /^\{"data":\{"contact":\{"name":"Ada","json":\{"id":"con_\w+","name":"Ada","age":1,/,
  )
  const document = await fetch(`${service.url}/v1/openapi.json`)
  expect(await document.json()).toMatchObject({ openapi: '3.1.0' })
  const page = await fetch(`${pastPrism(service).url}/v1/graphql`, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<title>crm GraphQL</title>')
})
