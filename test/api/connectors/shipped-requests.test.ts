import { expect, it } from 'vitest'
import { createConnector } from '../../../src/api/connectors/connector.ts'
import type { RequestParts } from '../../../src/api/connectors/requests.ts'
import type { OperationName } from '../../../src/api/connectors/resource-rules.ts'
import { shippedDocument } from '../../connector/shipped-documents.ts'

function requestOf(name: string, operation: OperationName, parts: RequestParts) {
  const place = { baseUrl: new URL('https://crm.example.com'), variables: {} }
  return createConnector(shippedDocument(name), place).rules('contact').request(operation, parts)
}

const RECORD = { name: 'Ada' }

it('PostgREST is asked for a single object, so that a write without an id, or to several rows, is refused', () => {
  const single = ['Accept', 'application/vnd.pgrst.object+json', 'Prefer', 'return=representation']
  const parts = { id: '7', record: RECORD }
  for (const name of ['update', 'delete'] as const) {
    expect(requestOf('postgrest', name, parts)).toMatchObject({
      path: '/contacts',
      query: { id: 'eq.7' },
      headers: single,
    })
  }
  expect(requestOf('postgrest', 'get', { id: '7' }).headers).toEqual(single.slice(0, 2))
  expect(requestOf('postgrest', 'create', { record: RECORD })).toMatchObject({
    query: {},
    headers: single,
    body: RECORD,
  })
})

it('OData names a record by its key in brackets', () => {
  expect(requestOf('odata', 'get', { id: '1' })).toMatchObject({ method: 'GET', path: '/Contacts(1)' })
  expect(requestOf('odata', 'update', { id: 'a/b', record: RECORD })).toMatchObject({ path: '/Contacts(a%2Fb)' })
})

it('JSON:API gets a resource object with its type, of its own media type', () => {
  const headers = ['Accept', 'application/vnd.api+json', 'Content-Type', 'application/vnd.api+json']
  const attributes = { attributes: RECORD }
  expect(requestOf('jsonapi', 'create', { record: attributes })).toMatchObject({
    headers,
    body: { data: { type: 'contacts', ...attributes } },
  })
  expect(requestOf('jsonapi', 'update', { id: '7', record: attributes })).toMatchObject({
    path: '/contacts/7',
    headers,
    body: { data: { type: 'contacts', id: '7', ...attributes } },
  })
})

it('Django REST framework keeps the slash at the end of every path', () => {
  expect(requestOf('django-rest', 'create', { record: RECORD }).path).toBe('/contacts/')
  expect(requestOf('django-rest', 'delete', { id: '7' }).path).toBe('/contacts/7/')
})
