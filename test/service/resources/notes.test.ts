import { expect, test } from 'vitest'
import { serveForTest, type TestService } from '../serve-for-test.ts'

async function makeDeal(send: TestService['send']): Promise<string> {
  return (await send('POST', '/v1/deals', { name: 'a', stage: 'Lead' })).json.id as string
}

test.each(['body', 'content'])('a note with its text as %s is added to its deal', async (name) => {
  const { send } = await serveForTest()
  const dealId = await makeDeal(send)
  const made = await send('POST', `/v1/deals/${dealId}/notes`, { [name]: 'called', author_id: 'usr_1' })
  expect(made.status).toBe(201)
  expect(made.json).toEqual({
    id: expect.stringMatching(/^note_/),
    deal_id: dealId,
    body: 'called',
    author_id: 'usr_1',
    created_at: expect.any(String),
    updated_at: made.json.created_at,
    version: 1,
  })
  expect(made.headers.get('location')).toBe(`/v1/notes/${made.json.id}`)
})

test.each([
  [{}, '#/body', 'required'],
  [{ body: '' }, '#/body', 'empty'],
  [{ content: 5 }, '#/body', 'wrong_type'],
  [{ body: 'a', content: 'b' }, '#/content', 'ambiguous'],
  [{ body: 'a', author_id: 5 }, '#/author_id', 'wrong_type'],
  [{ body: 'a', deal_id: 'deal_1' }, '#/deal_id', 'read_only'],
])('the note %j is rejected at %s: %s', async (note, pointer, code) => {
  const { send } = await serveForTest()
  const answer = await send('POST', `/v1/deals/${await makeDeal(send)}/notes`, note)
  expect(answer.json).toMatchObject({ status: 422, errors: [{ pointer, code }] })
})

test('a note for a missing deal is rejected', async () => {
  const { send } = await serveForTest()
  for (const id of ['deal_0s9nekas400', 'con_0s9nekas400', 'x']) {
    expect((await send('POST', `/v1/deals/${id}/notes`, { body: 'a' })).json).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  }
})

test('the notes of a deal are listed newest first, page by page, without those of other deals', async () => {
  const { send } = await serveForTest()
  const [dealId, otherId] = [await makeDeal(send), await makeDeal(send)]
  const made: string[] = []
  for (const body of ['1', '2', '3']) made.unshift((await send('POST', `/v1/deals/${dealId}/notes`, { body })).text)
  await send('POST', `/v1/deals/${otherId}/notes`, { body: 'other' })
  const first = await send('GET', `/v1/deals/${dealId}/notes?limit=2`)
  expect(first.text).toBe(`{"data":[${made[0]},${made[1]}],"next_cursor":"${first.json.next_cursor}","has_more":true}`)
  const rest = await send('GET', `/v1/deals/${dealId}/notes?cursor=${first.json.next_cursor}`)
  expect(rest.text).toBe(`{"data":[${made[2]}],"next_cursor":null,"has_more":false}`)
  const moved = await send('GET', `/v1/deals/${otherId}/notes?cursor=${first.json.next_cursor}`)
  expect(moved.json).toMatchObject({ status: 400, errors: [{ parameter: 'cursor', code: 'invalid_cursor' }] })
})
