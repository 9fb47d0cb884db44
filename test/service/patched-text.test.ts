import { expect, test } from 'vitest'
import { sample } from '../harness/sample.ts'
import { NAUGHTY } from '../output/naughty-strings.ts'
import { serveForTest } from './serve-for-test.ts'

test('every naughty string, patched into a contact, is read back unchanged, as a value and as a name', async () => {
  const { send } = await serveForTest()
  const expected = new Map<unknown, string>()
  const texts = sample(NAUGHTY, 10)
  for (const [at, text] of texts.entries()) {
    const made = await send('POST', '/v1/contacts', { name: 'before', at })
    expect(made.status).toBe(201)
    const patch = { name: text, [`x${text}`]: text }
    const patched = await send('PATCH', `/v1/contacts/${made.json.id}`, patch)
    expect(patched.status).toBe(200)
    expect(patched.json).toMatchObject({ ...patch, at, version: 2 })
    expected.set(made.json.id, text)
  }
  expect(expected.size).toBe(texts.length)
  let path: string | undefined = '/v1/contacts?limit=500'
  while (path !== undefined) {
    const { json } = await send('GET', path)
    for (const { id, name, ...rest } of json.data as Record<string, unknown>[]) {
      const text = expected.get(id)
      expect(name).toBe(text)
      expect(rest).toHaveProperty([`x${text}`], text)
      expected.delete(id)
    }
    path = json.next_cursor === null ? undefined : `/v1/contacts?limit=500&cursor=${json.next_cursor}`
  }
  expect(expected.size).toBe(0)
})

test('a naughty string removed by a patch is gone, and the rest is unchanged', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', Object.fromEntries(NAUGHTY.map((text) => [`x${text}`, 1])))
  const half = NAUGHTY.filter((_, at) => at % 2 === 0).map((text) => `x${text}`)
  const patch = Object.fromEntries(half.map((name) => [name, null]))
  const patched = await send('PATCH', `/v1/contacts/${json.id}`, patch)
  const kept = NAUGHTY.map((text) => `x${text}`).filter((name) => !half.includes(name))
  const ours = Object.keys(patched.json).filter((name) => name.startsWith('x'))
  expect(ours.toSorted()).toEqual([...new Set(kept)].toSorted())
})
