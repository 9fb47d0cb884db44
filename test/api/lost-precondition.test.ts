import { expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, openClient } from './client-fixture.ts'

const VERSION_3 = { idempotencyKey: undefined, ifMatch: '3' }

interface Given {
  /** What the lost try did. */
  readonly applied: Record<string, unknown> | 'deleted' | undefined
  readonly status?: number
  /** Whether there is an endpoint for one record. */
  readonly isOne?: boolean
}

/** Loses the answer to the first write; every later write meets another version. */
async function startLosing({ applied, status = 412, isOne = true }: Given) {
  let ada: Record<string, unknown> | undefined = { id: 'con_1', name: 'Old', version: 3 }
  let writes = 0
  const read = (path: string) => {
    if (path !== '/v1/contacts/con_1') return { data: [...(ada ? [ada] : []), { id: 'con_2' }], next_cursor: null }
    return isOne ? ada : undefined
  }
  const { url, seen } = await startServer((response, { method, path }) => {
    if (method === 'GET') {
      const shown = read(path)
      return sendJson(response, shown ? 200 : 404, shown ?? {})
    }
    writes += 1
    if (writes > 1) return sendJson(response, status, { code: 'precondition_failed' })
    if (applied !== undefined) ada = applied === 'deleted' ? undefined : { ...ada, ...applied, version: 4 }
    response.destroy()
  })
  return { url, writes: () => seen.filter(({ method }) => method !== 'GET').length }
}

test.each([
  ['a server that shows one record', true, 412],
  ['a server that only lists', false, 412],
  ['a server that answers 409', true, 409],
])('an update that meets its own lost write is done: %s', async (_, isOne, status) => {
  const { url, writes } = await startLosing({ applied: { name: 'Ada' }, isOne, status })
  const { api } = openClient(url)
  expect(await api.contacts.update('con_1', { name: 'Ada' }, VERSION_3)).toMatchObject({ id: 'con_1', version: 4 })
  expect(writes()).toBe(2)
})

test.each([
  ['nothing', undefined],
  ['the write of another one', { name: 'Bob' }],
])('an update whose record shows %s after a lost answer is in doubt', async (_, applied) => {
  const { url } = await startLosing({ applied })
  const error = await failureOf(openClient(url).api.contacts.update('con_1', { name: 'Ada' }, VERSION_3))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.message).toContain(
    'it is unknown whether the server applied it; the record does not have the values that were sent',
  )
  expect(error.details).toMatchObject({ hint: 'crm contacts get con_1', isInDoubt: true })
})

test('a deletion that meets its own lost write is done', async () => {
  const { url } = await startLosing({ applied: 'deleted' })
  await openClient(url).api.contacts.delete('con_1', { ifMatch: '3' })
})

test('a deletion whose record is still there after a lost answer is in doubt', async () => {
  const { url } = await startLosing({ applied: undefined })
  const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: '3' }))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.message).toContain('the record is still there')
})

test('a 412 to the first try is a refusal', async () => {
  const { url } = await startServer((response) => sendJson(response, 412, {}))
  const error = await failureOf(openClient(url).api.contacts.update('con_1', { name: 'Ada' }, VERSION_3))
  expect(error).toMatchObject({ code: 'precondition_failed', exit: 7 })
})
