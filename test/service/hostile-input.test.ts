import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../harness/sample.ts'
import { anyText } from '../output/naughty-strings.ts'
import { serveForTest } from './serve-for-test.ts'

const NAUGHTY = [
  '',
  'undefined',
  'NULL',
  '\u0000',
  'a\u0000b',
  '\u001b[31mred\u001b[0m',
  '\u202etest\u202e',
  '\ufeff',
  '\u2028\u2029',
  '田中さんにあげて下さい',
  '👾 🙇 💁 👩‍👩‍👧‍👦 🇺🇸',
  'Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤',
  "'; DROP TABLE contacts; --",
  '%s%s%n',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '../../../etc/passwd',
  '__proto__',
  'constructor',
  'x'.repeat(20_000),
]

test.each(NAUGHTY)('the text %j is returned unchanged, as a value and as a name', async (text) => {
  const { send } = await serveForTest()
  const sent = `{${JSON.stringify(`x${text}`)}:1,"name":${JSON.stringify(text)},"list":[${JSON.stringify(text)}]}`
  const made = await send('POST', '/v1/contacts', sent)
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ name: text, list: [text] })
  expect((await send('GET', '/v1/contacts')).text).toContain(made.text)
  const deal = await send('POST', '/v1/deals', { name: `n${text}`, stage: 'Lead', owner_id: text })
  expect(deal.json).toMatchObject({ name: `n${text}`, owner_id: text })
})

test.each(['{"name":"\\ud800"}', '{"\\udfff":"\\ud83d\\ude00"}', '{"a":{"b":["\\ude00\\ud83d"]}}'])(
  'a lone surrogate is rejected, in values and in names: %s',
  async (body) => {
    const { send } = await serveForTest()
    expect((await send('POST', '/v1/contacts', body)).json).toMatchObject({ status: 400, code: 'lone_surrogate' })
  },
)

test('members named like those of prototypes are ordinary, created and patched', async () => {
  const { send } = await serveForTest()
  const members =
    '"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"toString":1,"hasOwnProperty":null'
  const made = await send('POST', '/v1/contacts', `{${members}}`)
  expect(made.text).toContain(members)
  const patched = await send('PATCH', `/v1/contacts/${made.json.id}`, '{"__proto__":{"x":1},"toString":null}')
  expect(patched.text).toContain('"__proto__":{"isAdmin":true,"x":1},"constructor"')
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
})

test('numbers keep their sent digits', async () => {
  const { send } = await serveForTest()
  const numbers = '"a":-0,"b":12345678901234567890,"c":0.1000000000000000055,"d":1.0,"e":1E+2,"f":5e-324'
  expect((await send('POST', '/v1/contacts', `{${numbers}}`)).text).toContain(numbers)
  const deal = await send('POST', '/v1/deals', '{"name":"a","stage":"Lead","amount":-0}')
  expect(deal.text).toContain('"amount":-0')
})

test('for any contact sent, the service answers 201, 400 or 422 and continues', async () => {
  const { send } = await serveForTest()
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        anyText(),
        fc.json().map((text) => text.slice(0, -1)),
      ),
      async (body) => {
        const answer = await send('POST', '/v1/contacts', body)
        expect([201, 400, 422]).toContain(answer.status)
        if (answer.status === 201) expect(answer.json).toMatchObject(JSON.parse(body) as object)
      },
    ),
    { numRuns: runs(50, 10) },
  )
  expect((await send('GET', '/healthz')).status).toBe(200)
})

test('a megabyte of nesting is rejected quickly, alone and in a patch', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'a' })
  const path = `/v1/contacts/${json.id}`
  for (const bomb of [
    '['.repeat(500_000),
    '{"a":'.repeat(200_000),
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ]) {
    const startMs = performance.now()
    expect((await send('POST', '/v1/contacts', bomb)).status).toBe(400)
    expect((await send('PATCH', path, bomb)).status).toBe(400)
    expect(performance.now() - startMs).toBeLessThan(5000)
  }
})

test('a record with a hundred thousand members is rejected quickly for its size', async () => {
  const { send } = await serveForTest()
  const many = `{${Array.from({ length: 90_000 }, (_, index) => `"m${index}":1`).join()}}`
  const startMs = performance.now()
  expect((await send('POST', '/v1/contacts', many)).json).toMatchObject({ errors: [{ code: 'too_large' }] })
  expect(performance.now() - startMs).toBeLessThan(5000)
})
