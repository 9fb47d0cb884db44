import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { contactsOf } from '../foreign/run-shape.ts'
import { tempFolder } from '../harness/home.ts'
import { NOTHING, probed, typed } from './probe-server.ts'

const KEY = 'a-key-that-is-typed-4711'

/** A server of its own design, whose key goes in a header. */
function ownServer() {
  const people = contactsOf(45).map(({ id, email }) => ({ nr: id, kontakt: { post: email, voll: `Person ${id}` } }))
  return startServer((response, { path, headers }) => {
    const { pathname, searchParams } = new URL(path, 'http://own.example')
    if (headers['x-key'] !== KEY) return sendJson(response, 401, { message: 'who are you?' })
    if (pathname !== '/kunden') return sendJson(response, 404, { message: 'nothing' })
    const at = Number(searchParams.get('ab') ?? 0)
    const next = at + 20 < people.length ? `/kunden?ab=${at + 20}` : null
    return sendJson(response, 200, { kunden: people.slice(at, at + 20), weiter: { next } })
  })
}

test('a terminal is asked for the key, how it is sent, the path, and the members that names do not show', async () => {
  const { url } = await ownServer()
  const out = join(tempFolder(), 'own.yaml')
  const { exit, stderr } = await typed(['connectors', 'create', '--probe', url.origin, '--out', out], {
    'API key for': KEY,
    'How is the key sent': 'header:X-Key',
    'Which path lists the contacts': '/kunden',
    'Which member is the id': 'nr',
    'Which member is the name': 'kontakt.voll',
    'Which member is the email': 'kontakt.post',
    'How is a contact changed': 'none',
  })
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringContaining('contacts: /kunden; 45 records; paging by next_url from weiter.next;'),
  })
  expect(readFileSync(out, 'utf8')).toContain("auth: { in: header, name: X-Key, value: '{key}' }")
  expect(readFileSync(out, 'utf8')).not.toContain('create:')
  expect(stderr + readFileSync(out, 'utf8')).not.toContain(KEY)
})

test('an empty answer to how the key is sent ends with the refusal', async () => {
  const { url } = await ownServer()
  const out = join(tempFolder(), 'own.yaml')
  const answers = { 'API key for': KEY, 'How is the key sent': '' }
  const { exit } = await typed(['connectors', 'create', '--probe', url.origin, '--out', out], answers)
  expect({ exit, isThere: existsSync(out) }).toEqual({ exit: 4, isThere: false })
})

const FLAGS = ['--resource', 'contacts=/contacts', '--resource', 'deals=none']

test('a list of as many records as a page is whole by the word of a person alone', async () => {
  const answer = ({ path }: { readonly path: string }) => (path === '/contacts' ? { json: contactsOf(50) } : NOTHING)
  const open = await probed(answer, FLAGS)
  expect(open.made).toMatchObject({ exit: 3, stderr: expect.stringContaining('--whole contacts') })
  expect((await open.list()).exit).toBe(2)
  const whole = await probed(answer, [...FLAGS, '--whole', 'contacts'])
  expect({ ...whole.made, text: whole.text }).toMatchObject({
    exit: 0,
    text: expect.stringContaining('paging: { by: none } }'),
  })
  expect((await whole.list()).stdout.split('\n')).toHaveLength(51)
})

test('nobody can say that one page of several is the whole list', async () => {
  const { made, text } = await probed(
    ({ query }) => {
      const page = Number(query.get('page') ?? 1)
      return { json: { data: contactsOf(45).slice((page - 1) * 20, page * 20) } }
    },
    [...FLAGS, '--whole', 'contacts'],
  )
  expect({ ...made, text }).toMatchObject({ exit: 2, text: '', stderr: expect.stringContaining('more than one page') })
})

test('a file that is there is refused before anything is asked or read', async () => {
  const out = join(tempFolder(), 'mine.yaml')
  writeFileSync(out, 'mine\n')
  const create = ['connectors', 'create', '--probe', 'http://127.0.0.1:9', '--out', out]
  const { exit, stderr, questions } = await typed(create, {})
  expect([exit, questions, stderr]).toEqual([11, [], expect.stringContaining(`${out} exists, and is not replaced`)])
  expect(readFileSync(out, 'utf8')).toBe('mine\n')
})
