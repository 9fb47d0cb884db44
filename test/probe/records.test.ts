import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { NOTHING, pagesAt, probed } from './probe-server.ts'

const PEOPLE = Array.from({ length: 45 }, (_, n) => ({
  id: n + 1,
  createdAt: '2024-01-01T00:00:00Z',
  profile: { firstName: `F${n}`, lastName: `L${n}`, email: `p${n}@example.com` },
  owner: { email: 'boss@example.com' },
}))

const OTHERS: readonly JsonObject[] = PEOPLE.map(({ id, profile }) => ({
  nr: id,
  kontakt: { post: profile.email, voll: profile.lastName },
}))

const JSON_LIST = ['contacts', 'list', '--limit', '1', '-o', 'json']

test('members of a profile are fields, those of an owner are not, and the next command logs in', async () => {
  const { made, text, list, crm, file, origin } = await probed(pagesAt('/people', PEOPLE), [])
  expect(made).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: expect.stringContaining('contacts: /people; 45 records; paging by page page;'),
  })
  expect(text).toContain(
    'name: { join: [ profile.firstName, profile.lastName ] }, email: { at: profile.email, fold: case }',
  )
  expect(text).toContain('created_at: createdAt')
  expect(text).not.toContain('decide:')
  const listed = JSON.parse((await list(JSON_LIST)).stdout)
  expect(listed).toMatchObject([{ id: '1', name: 'F0 L0', email: 'p0@example.com' }])
  expect(made.stderr).toContain(`Next: crm auth login --connector ${file} --base-url ${origin}\n`)
  const login = [
    'auth',
    'login',
    '--connector',
    file,
    '--base-url',
    origin,
    '--key-stdin',
    '--storage',
    'file',
    '-p',
    'mine',
  ]
  expect(await crm(login, 'crm_key_other_12345678', { CRM_BASE_URL: '', CRM_API_KEY: '' })).toMatchObject({ exit: 0 })
  const whole = await crm(['contacts', 'list', '-o', 'id', '-p', 'mine'], '', { CRM_BASE_URL: '', CRM_API_KEY: '' })
  expect(whole).toMatchObject({ exit: 0, stdout: PEOPLE.map(({ id }) => `${id}\n`).join('') })
})

test('what reading cannot know is asked for by flags, and they answer it', async () => {
  const open = await probed(pagesAt('/people', OTHERS), ['--resource', 'deals=none'])
  expect(open.made.exit).toBe(3)
  for (const flag of ['contacts.id=PATH', 'contacts.name=PATH', 'contacts.email=kontakt.post']) {
    expect(open.made.stderr).toContain(`--field ${flag}`)
  }
  expect(open.text.match(/# decide:/g)).toHaveLength(4)
  const fields = ['contacts.id=nr', 'contacts.name=kontakt.voll', 'contacts.email=kontakt.post']
  const { made, text, list } = await probed(pagesAt('/people', OTHERS), [
    '--resource',
    'deals=none',
    ...fields.flatMap((field) => ['--field', field]),
  ])
  expect({ exit: made.exit, text }).toEqual({ exit: 0, text: expect.not.stringContaining('decide:') })
  expect(JSON.parse((await list(JSON_LIST)).stdout)).toMatchObject([{ id: '1', name: 'L0', email: 'p0@example.com' }])
})

test('the email of an owner is proposed, and left open', async () => {
  const people = PEOPLE.map(({ id, owner }) => ({ id, name: `Person ${id}`, owner }))
  const { made, text } = await probed(pagesAt('/people', people), [])
  expect(made).toMatchObject({ exit: 3, stderr: expect.stringContaining('is owner.email the email of a contact?') })
  expect(text).toContain('# decide: is owner.email the email of a contact? --field contacts.email=owner.email')
  expect(text).not.toContain('paging: {}')
})

test('a field that no record has is exit 2, with what they have, and so is one that crm does not have', async () => {
  const { made, text } = await probed(pagesAt('/people', OTHERS), [
    '--field',
    'contacts.email=kontakt.mail',
    '--field',
    'contacts.id=nr',
  ])
  expect({ ...made, text }).toMatchObject({
    exit: 2,
    text: '',
    stderr: expect.stringContaining('nr, kontakt.post, kontakt.voll'),
  })
  const other = await probed(pagesAt('/people', OTHERS), ['--field', 'contacts.shoe=x'])
  expect(other).toMatchObject({ made: { exit: 2, stderr: expect.stringContaining('names no field') }, seen: [] })
})

test('a record of its own address is read there, one that shows another is not', async () => {
  const at = (shown: JsonObject) => async () => {
    const list = pagesAt('/people', PEOPLE)
    return probed((asked) => (/^\/people\/\d+$/.test(asked.path) ? { json: { data: shown } } : list(asked)), [])
  }
  expect((await at(PEOPLE[0] as JsonObject)()).text).toContain('get: { record: data }')
  expect((await at(PEOPLE[1] as JsonObject)()).text).not.toContain('get:')
})

test('deals beside contacts are found at the usual paths', async () => {
  const deals = [1, 2, 3].map((n) => ({ id: `d${n}`, title: `Deal ${n}`, value: 100 * n, status: 'open' }))
  const people = pagesAt('/api/contacts', PEOPLE)
  const { made, text, list } = await probed(
    (asked) => (asked.path === '/api/deals' ? { json: deals } : people(asked)),
    [],
  )
  expect(made).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('deals: /api/deals; 3 records; paging by none below 10 records;'),
  })
  expect(text).toContain('fields: { name: title, amount: value, stage: status }')
  const listed = JSON.parse((await list(['deals', 'list', '-o', 'json'])).stdout)
  expect(listed).toMatchObject(deals.map(({ id, title, value }) => ({ id, name: title, amount: value })))
})

test('a list that nobody asked for is left out while it is empty, and named', async () => {
  const people = pagesAt('/contacts', PEOPLE)
  const { made, text, list } = await probed((asked) => (asked.path === '/deals' ? { json: [] } : people(asked)), [])
  expect(made).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('deals are left out, for /deals has none yet'),
  })
  expect(text).not.toContain('  deals:')
  expect((await list()).exit).toBe(0)
})

test('an empty list is open: its members and its paging cannot be known', async () => {
  const { made, text } = await probed(({ path }) => (path === '/contacts' ? { json: [] } : NOTHING), [])
  expect({ exit: made.exit, text }).toEqual({
    exit: 3,
    text: expect.stringContaining('# decide: what leads to the next page: there are no contacts'),
  })
})

test('records that show nothing but an id are open, and no document is named', async () => {
  const ids = [1, 2, 3].map((id) => ({ id }))
  const { made, text } = await probed(pagesAt('/people', ids), ['--resource', 'deals=none'])
  expect(made).toMatchObject({ exit: 3, stderr: expect.stringContaining('what was read does not name the members') })
  expect(made.stderr + text).not.toMatch(/the document/)
})
