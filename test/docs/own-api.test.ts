import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type SeenRequest, sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

const PAGE = fileURLToPath(new URL('../../docs/servers.md', import.meta.url))

/** The answer on the left of the example, and the file on its right. */
function example(): { readonly answer: JsonObject; readonly file: string } {
  const [, block = ''] = /```\n(GET .*?)```/s.exec(readFileSync(PAGE, 'utf8')) ?? []
  const lines = block.trimEnd().split('\n')
  const at = lines[0]?.indexOf('connector:') ?? 0
  const [, ...answer] = lines.map((line) => line.slice(0, at))
  return { answer: JSON.parse(answer.join('')), file: lines.map((line) => line.slice(at)).join('\n') }
}

type People = Map<number, JsonObject>

/** The API of the page: an answer has the people after one, and a PUT replaces a person. */
async function startOwnApi() {
  const people: People = new Map()
  const { url } = await startServer((response, request) => {
    const uid = Number(/^\/crm\/people\/(\d+)$/.exec(request.path)?.[1] ?? 0)
    if (request.headers['x-api-key'] !== 'sk-1') return sendJson(response, 401, { message: 'no key' })
    const answer = uid === 0 ? ofAll(people, request) : ofOne(people, uid, request)
    if (answer) return sendJson(response, 200, answer)
    response.writeHead(request.method === 'DELETE' ? 204 : 404).end()
  })
  return { url, people }
}

function ofAll(people: People, { method, path, body }: SeenRequest): JsonObject {
  if (method === 'POST') {
    const person = { ...JSON.parse(body), uid: Math.max(0, ...people.keys()) + 1 }
    people.set(person.uid, person)
    return { person }
  }
  const after = Number(new URL(path, 'http://any').searchParams.get('after') ?? 0)
  const page = [...people.values()].filter((person) => Number(person.uid) > after).slice(0, 2)
  const last = page.length === 2 ? (page.at(-1)?.uid ?? null) : null
  return { found: { people: page.map((person) => ({ person })), after: last } }
}

function ofOne(people: People, uid: number, { method, body }: SeenRequest): JsonObject | undefined {
  if (method === 'PUT' && people.has(uid)) people.set(uid, { ...JSON.parse(body), uid })
  const person = people.get(uid)
  if (method === 'DELETE') people.delete(uid)
  return person && method !== 'DELETE' ? { person } : undefined
}

test('the API in 20 lines is read, proven and imported into', async () => {
  const { answer, file } = example()
  expect(file.split('\n').length).toBeLessThanOrEqual(20)
  const { url, people } = await startOwnApi()
  const { found } = answer as { readonly found: { readonly people: [{ readonly person: JsonObject }] } }
  const [{ person }] = found.people
  people.set(Number(person.uid), person)
  const home = emptyHome()
  const path = join(home.HOME, 'mycrm.yaml')
  writeFileSync(path, file.replace('name: mycrm', 'name: mycrm\ndrafted: 2026-11-29'))
  const login = ['auth', 'login', '--connector', path, '--base-url', url.origin, '--storage', 'file', '--key-stdin']
  expect(await crm(login, home, 'sk-1')).toMatchObject({ exit: 0 })
  const list = await crm(['contacts', 'list', '-o', 'json', '--fields', 'id,name,email'], home)
  expect(JSON.parse(list.stdout)).toEqual([{ id: '42', name: 'Ada', email: 'a@x.com' }])
  expect(await crm(['connectors', 'check', '--write', '--yes'], home)).toMatchObject({ exit: 0 })
  expect([...people.keys()]).toEqual([42])
  const rows = Array.from({ length: 30 }, (_, n) => `P${n},p${n}@x.com\n`).join('')
  const imported = ['contacts', 'import', '-', '--format', 'csv', '--match', 'email', '--run-id', 'one', '--yes']
  expect(await crm(imported, home, `name,email\nAda L,a@x.com\n${rows}`)).toMatchObject({ exit: 0 })
  expect(people.size).toBe(31)
  expect(people.get(42)).toEqual({ uid: 42, profile: { mail: 'a@x.com', name: 'Ada L' } })
})
