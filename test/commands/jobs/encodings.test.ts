import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, startRun } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'
import { serviceHome } from '../service-home.ts'

/** The names and companies as `iconv` writes them; Node encodes UTF-8 alone. */
const FILES = [
  ['windows-1250', 'Łukasz Wójkowski', 'a3756b61737a2057f36a6b6f77736b69'],
  ['windows-1250', 'Jiří Dvořák', '4a69f8ed2044766ff8e16b'],
  ['windows-1251', 'Иван Петров', 'c8e2e0ed20cfe5f2f0eee2'],
  ['windows-1252', 'José Müller', '4a6f73e9204dfc6c6c6572'],
  ['shift_jis', '田中', '9363 9286'.replace(' ', '')],
] as const

async function server() {
  const contacts: JsonObject[] = []
  const { url } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: contacts, next_cursor: null, has_more: false })
    const sent = JSON.parse(body) as JsonObject
    if (sent.email === 'refused@x.test') return sendJson(response, 422, { error: { message: 'not this one' } })
    contacts.push({ id: `con_${contacts.length + 1}`, ...sent })
    sendJson(response, 201, contacts.at(-1))
  })
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k', CRM_CONNECTOR: 'contract' })
  const file = join(env.HOME, 'people.csv')
  const importing = (hex: string, ...flags: readonly string[]) => {
    const [head, row] = ['name;email\r\n', ';a@x.test\r\n'].map((text) => Buffer.from(text))
    writeFileSync(file, Buffer.concat([head as Buffer, Buffer.from(hex, 'hex'), row as Buffer]))
    return crm(['contacts', 'import', file, '--yes', ...flags], env, '')
  }
  return { contacts, env, file, importing }
}

test.each(FILES)(
  'a file in %s is refused with the readings, of which one is %s, and read by its name',
  async (...named) => {
    const [encoding, name, hex] = named
    const { contacts, importing } = await server()
    const refused = await importing(hex)
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toContain('nothing states the encoding of the file')
    expect(refused.stderr).toContain(`reads ${JSON.stringify(name)}`)
    expect(contacts).toEqual([])
    const read = await importing(hex, '--encoding', encoding)
    expect(read.exit, read.stderr).toBe(0)
    expect(contacts).toMatchObject([{ name, email: 'a@x.test' }])
  },
)

test('the readings are those of the odd text, however far into the file it stands', async () => {
  const { importing } = await server()
  const before = Buffer.from('Somebody;s@x.test\r\n'.repeat(10_000)).toString('hex')
  expect((await importing(`${before}a3756b61737a`)).stderr).toContain('--encoding windows-1250 reads "Łukasz"')
})

test('labels of an encoding are its name, and others are refused', async () => {
  const { contacts, importing } = await server()
  expect((await importing('4df66c', '--encoding', 'latin1')).exit).toBe(0)
  expect(contacts).toMatchObject([{ name: 'Möl' }])
  expect(await importing('4df66c', '--encoding', 'klingon')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('windows-1250, iso-8859-2 or shift_jis'),
  })
})

test('bytes that an encoding does not have are refused with their line', async () => {
  const { importing } = await server()
  expect(await importing('fffd', '--encoding', 'shift_jis')).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/people\.csv, line \d.* not shift_jis/),
  })
})

test('failed rows of a decoded file are sent again as they were', async () => {
  const { contacts, env, file } = await server()
  const polish = Buffer.from('a3756b61737a', 'hex')
  const rows = [
    Buffer.from('name;email\n'),
    polish,
    Buffer.from(';refused@x.test\n'),
    polish,
    Buffer.from(';b@x.test\n'),
  ]
  writeFileSync(file, Buffer.concat(rows))
  const first = await crm(['contacts', 'import', file, '--encoding', 'windows-1250', '--yes'], env)
  expect(first.exit).toBe(3)
  const [, job = ''] = /crm jobs failed (\S+)/.exec(first.stderr) ?? []
  const [, failed = ''] = /with the reasons: (\S+)/.exec(first.stderr) ?? []
  const again = await crm(['jobs', 'retry', job, '--from', failed], env)
  expect(again.exit, again.stderr).toBe(3)
  expect(contacts).toMatchObject([{ name: 'Łukasz', email: 'b@x.test' }])
})

test('a file of two languages in one encoding is read by stdin, updates and deletes, its header too', async () => {
  const { json, crm, file, env } = await serviceHome()
  // imię;email;miasto, Łukasz, Żory; Jiří, Břeclav
  const bytes = Buffer.from(
    'imi\xea;email;miasto\r\n\xa3ukasz;l@x.test;\xafory\r\nJi\xf8\xed;j@x.test;B\xf8eclav\r\n',
    'latin1',
  )
  const people = file('people.csv', '')
  writeFileSync(people, bytes)
  const words = ['--match', 'email', '--map', 'imię=name', '--yes'] as const
  const named = ['--encoding', 'windows-1250'] as const
  for (const line of [
    ['import', people],
    ['update', '--from', people],
    ['delete', '--from', people],
  ]) {
    const refused = await crm('contacts', ...line, ...words)
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--encoding windows-1250 reads "imię"') })
  }
  const imported = startRun(['contacts', 'import', '-', '--run-id', 'one', ...words, ...named], env, { stdin: bytes })
  expect(await imported.exit, imported.written.stderr).toBe(0)
  const shown = async () =>
    (await json('contacts', 'list')).map(({ name, miasto }: JsonObject) => [name, miasto]).toSorted()
  expect(await shown()).toEqual([
    ['Jiří', 'Břeclav'],
    ['Łukasz', 'Żory'],
  ])
  expect(await json('contacts', 'update', '--from', people, ...words, ...named)).toMatchObject({ unchanged: 2 })
  const only = ['--match', 'email', '--yes', '--expect', '2', ...named]
  expect(await json('contacts', 'delete', '--from', people, ...only)).toMatchObject({ done: 2 })
})
