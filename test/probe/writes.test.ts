import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import type { Answered, Asked } from '../foreign/shape.ts'
import { NOTHING, pagesAt, probed } from './probe-server.ts'

const PEOPLE = Array.from({ length: 3 }, (_, n) => ({
  id: n + 1,
  created: '2024-01-01T00:00:00Z',
  name: `Person ${n}`,
  profile: { email: `p${n}@example.com`, city: 'Berlin' },
}))

/** Keeps what is written: a PATCH replaces the members that it has, as many servers do, and a PUT the whole record. */
function keeping(records: readonly JsonObject[]) {
  const all = new Map(records.map((record) => [String(record.id), record]))
  const writes: string[] = []
  const ofOne = ({ method, body }: Asked, id: string, record: JsonObject): Answered => {
    if (method === 'DELETE') all.delete(id)
    if (method === 'PATCH') all.set(id, { ...record, ...JSON.parse(body) })
    if (method === 'PUT') all.set(id, { id: record.id, created: record.created, ...JSON.parse(body) })
    return method === 'DELETE' ? { status: 204 } : { json: all.get(id) ?? null }
  }
  const answer = (asked: Asked): Answered => {
    const { method, path, body } = asked
    if (method !== 'GET') writes.push(`${method} ${path} ${body}`)
    const [, id = ''] = /^\/people\/(\w+)$/.exec(path) ?? []
    const record = all.get(id)
    if (record) return ofOne(asked, id, record)
    if (method !== 'POST') return pagesAt('/people', [...all.values()])(asked)
    const made: JsonObject = { id: all.size + 1, created: new Date().toISOString(), ...JSON.parse(body) }
    all.set(String(made.id), made)
    return { status: 201, json: made }
  }
  return { answer, all, writes }
}

const UNPROVEN = '# create, update and delete were not sent, and are not proven: crm connectors check --write'

test('the probe sends no write, and a draft without a word on writes only reads', async () => {
  const server = keeping(PEOPLE)
  const { made, text, crm, file } = await probed(server.answer, ['--resource', 'deals=none'])
  expect({ exit: made.exit, writes: server.writes }).toEqual({ exit: 0, writes: [] })
  expect(text).toContain('# contacts are only read: --writes contacts=patch if the server takes POST /people')
  expect(text).not.toContain('create:')
  const created = await crm(['contacts', 'create', '--set', 'name=Ada'], '', { CRM_CONNECTOR: file })
  expect({ exit: created.exit, writes: server.writes }).toEqual({ exit: 7, writes: [] })
})

test.each(['patch', 'put'])(
  'by --writes contacts=%s, records are made, changed and deleted, and lose nothing',
  async (how) => {
    const server = keeping(PEOPLE)
    const flags = ['--resource', 'deals=none', '--writes', `contacts=${how}`]
    const { made, text, crm, file } = await probed(server.answer, flags)
    expect({ exit: made.exit, writes: server.writes }).toEqual({ exit: 0, writes: [] })
    expect(text).toContain(UNPROVEN)
    const env = { CRM_CONNECTOR: file }
    const created = await crm(
      ['contacts', 'create', '--set', 'name=Ada', '--set', 'email=a@b.example', '-o', 'id'],
      '',
      env,
    )
    expect(created).toMatchObject({ exit: 0, stdout: '4\n' })
    expect(server.all.get('4')).toMatchObject({ name: 'Ada', profile: { email: 'a@b.example' } })
    const before = server.all.get('2')
    expect(await crm(['contacts', 'update', '2', '--set', 'email=new@b.example'], '', env)).toMatchObject({ exit: 0 })
    expect(server.all.get('2')).toEqual({ ...before, profile: { email: 'new@b.example', city: 'Berlin' } })
    expect(server.writes.at(-1)).toMatch(how === 'put' ? /^PUT / : /^PATCH /)
    expect(await crm(['contacts', 'delete', '3', '--yes'], '', env)).toMatchObject({ exit: 0 })
    expect([...server.all.keys()]).toEqual(['1', '2', '4'])
  },
)

test('flat records are changed by what changes', async () => {
  const flat = PEOPLE.map(({ id, name }) => ({ id, name, email: `p${id}@example.com` }))
  const server = keeping(flat)
  const { crm, file } = await probed(server.answer, ['--resource', 'deals=none', '--writes', 'contacts=patch'])
  await crm(['contacts', 'update', '2', '--set', 'name=Ada'], '', { CRM_CONNECTOR: file })
  expect(server.writes).toEqual(['PATCH /people/2 {"name":"Ada"}'])
})

test('another word for --writes is exit 2, before anything is sent', async () => {
  const { made, seen } = await probed(() => NOTHING, ['--writes', 'contacts=post'])
  expect({ ...made, seen }).toMatchObject({
    exit: 2,
    seen: [],
    stderr: expect.stringContaining('--writes contacts=patch'),
  })
})

test('notes of all deals are those of a deal by the member that a person names', async () => {
  const deals = [1, 2].map((n) => ({ id: `d${n}`, title: `Deal ${n}`, value: n, status: 'open' }))
  const notes = [1, 2, 3].map((n) => ({ id: `n${n}`, text: `Note ${n}`, belongs: n === 3 ? 'd2' : 'd1' }))
  const sent: string[] = []
  const answer = ({ method, path, body }: Asked): Answered => {
    if (path === '/deals') return { json: deals }
    if (path.startsWith('/deals/')) return { json: deals.find(({ id }) => path.endsWith(id)) ?? null }
    if (path !== '/notes') return NOTHING
    if (method === 'GET') return { json: notes }
    sent.push(body)
    return { status: 201, json: { id: 'n4', ...(JSON.parse(body) as JsonObject) } }
  }
  const flags = ['--resource', 'contacts=none', '--resource', 'notes=/notes', '--field', 'notes.parent=belongs']
  const { made, crm, file } = await probed(answer, [...flags, '--writes', 'notes=patch'])
  expect(made).toMatchObject({ exit: 0 })
  const env = { CRM_CONNECTOR: file }
  const listed = await crm(['notes', 'list', 'd1', '-o', 'json'], '', env)
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'n1', body: 'Note 1' }, { id: 'n2' }])
  await crm(['notes', 'add', 'd2', '--body', 'Hello'], '', env)
  expect(sent.map((each) => JSON.parse(each))).toEqual([{ text: 'Hello', belongs: 'd2' }])
})

interface Human {
  readonly uid: number
  readonly [member: string]: JsonValue
}

const flat = (n: number): JsonObject => ({ name: `P ${n}`, email: `p${n}@x.test`, tags: ['a'] })
const nested = (n: number): JsonObject => ({ profile: { fullName: `P ${n}`, mail: `p${n}@x.test`, city: 'Berlin' } })

/** Wraps every record in `human`, whose POST and PATCH want it so. A PATCH replaces the members that it has. */
function humans(membersOf: (n: number) => JsonObject, wrapper: 'human' | undefined = 'human') {
  const people = new Map<number, Human>(Array.from({ length: 57 }, (_, n) => [n + 1, { uid: n + 1, ...membersOf(n) }]))
  const wrapped = (human: Human | undefined) => (wrapper === undefined ? (human ?? null) : { human: human ?? null })
  const listed = (query: URLSearchParams) => {
    const left = [...people.values()].filter(({ uid }) => uid > Number(query.get('after') ?? 0))
    const after = left.length > 20 ? String(left[19]?.uid) : null
    return { json: { rows: left.slice(0, 20).map(wrapped), paging: { after } } }
  }
  const written = (uid: number, body: string) => {
    const sent = JSON.parse(body)
    const human = wrapper === undefined ? sent : sent.human
    if (human) people.set(uid, { ...people.get(uid), ...human, uid })
    return human ? { json: wrapped(people.get(uid)) } : { status: 422, json: { message: 'human is missing' } }
  }
  const one = (method: string, uid: number, body: string) => {
    if (method === 'PATCH') return written(uid, body)
    const human = people.get(uid)
    if (method === 'DELETE') people.delete(uid)
    return human ? { json: wrapped(human) } : NOTHING
  }
  const answer = ({ method, path, query, body }: Asked) => {
    const [, id] = /^\/humans\/(\d+)$/.exec(path) ?? []
    if (id !== undefined)
      return method === 'DELETE' ? { ...one(method, Number(id), ''), status: 204 } : one(method, Number(id), body)
    if (path !== '/humans') return NOTHING
    return method === 'POST' ? written(people.size + 1, body) : listed(query)
  }
  return { people, answer }
}

const HUMANS = ['--resource', 'contacts=/humans', '--resource', 'deals=none', '--writes', 'contacts=patch']

test('records that the list and one answer wrap in a member are sent in it, too', async () => {
  const { people, answer } = humans(flat)
  const { made, text, crm, file } = await probed(answer, HUMANS)
  expect(made.exit, text).toBe(0)
  const checked = await crm(['connectors', 'check', '--write', '--yes'], '', { CRM_CONNECTOR: file })
  expect(checked.exit, checked.stderr).toBe(0)
  expect([...people.keys()]).toHaveLength(57)
})

test.each(['human', undefined] as const)(
  'members of an object within a record keep their place where writes are drafted (wrapped in %s)',
  async (wrapper) => {
    const { people, answer } = humans(nested, wrapper)
    const { made, text, crm, file } = await probed(answer, HUMANS)
    expect(made.exit, text).toBe(0)
    expect(text).toContain('fields: { name: profile.fullName, email: { at: profile.mail, fold: case } }')
    expect(text).toContain('sends: whole')
    expect(text).not.toContain('read_only')
    const env = { CRM_CONNECTOR: file }
    const listed = await crm(['contacts', 'list', '--limit', '1', '-o', 'json'], '', env)
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: '1', name: 'P 0', email: 'p0@x.test' }])
    const changed = await crm(['contacts', 'update', '2', '--set', 'email=new@x.test'], '', env)
    expect(changed.exit, changed.stderr).toBe(0)
    expect(people.get(2)).toEqual({ uid: 2, profile: { fullName: 'P 1', mail: 'new@x.test', city: 'Berlin' } })
    const checked = await crm(['connectors', 'check', '--write', '--yes'], '', env)
    expect(checked.exit, checked.stderr).toBe(0)
    expect([...people.keys()]).toHaveLength(57)
  },
)

test.each(['human.post', 'post'])('--field contacts.email=%s names a member of a wrapped record', async (path) => {
  const { people, answer } = humans((n) => ({ voll: `P ${n}`, post: `p${n}@x.test` }))
  const fields = ['--field', `contacts.email=${path}`, '--field', 'contacts.name=voll']
  const { made, text, crm, file } = await probed(answer, [...HUMANS, ...fields])
  expect(made.exit, text + made.stderr).toBe(0)
  const env = { CRM_CONNECTOR: file }
  const changed = await crm(['contacts', 'update', '2', '--set', 'email=new@x.test'], '', env)
  expect(changed.exit, changed.stderr).toBe(0)
  expect(people.get(2)).toEqual({ uid: 2, voll: 'P 1', post: 'new@x.test' })
  const checked = await crm(['connectors', 'check', '--write', '--yes'], '', env)
  expect(checked.exit, checked.stderr).toBe(0)
})
