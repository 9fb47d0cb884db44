import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Page } from '../../src/api/operations.ts'
import { keepMatching } from '../../src/commands/keep-matching.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { fileIn, KEEPS_NO_KEYS, startForeign } from '../foreign/run-shape.ts'
import { crm as run } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { serviceHome } from './service-home.ts'

const MATCH = ['--match', 'email', '--yes'] as const

test('a row changes the contact with its email, creates a missing one, and sends nothing where nothing differs', async () => {
  const { service, json, file } = await serviceHome()
  const ada = await json('contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@x.test')
  await json('contacts', 'create', '--set', 'name=No Mail')
  const rows = file('rows.csv', 'email,name\n ADA@x.test,Ada L\nnew@x.test,New\n')
  expect(await json('contacts', 'import', rows, ...MATCH)).toMatchObject({ rows: 2, done: 2, unchanged: 0 })
  const { json: listed } = await service.send('GET', '/v1/contacts')
  expect(listed.data).toMatchObject([
    { name: 'New', email: 'new@x.test' },
    { name: 'No Mail' },
    { id: ada.id, name: 'Ada L', version: 2 },
  ])
  expect(await json('contacts', 'import', rows, ...MATCH, '--again')).toMatchObject({ done: 0, unchanged: 2 })
  expect((await service.send('GET', '/v1/contacts')).json).toEqual(listed)
})

test('a deal is matched by its name, by its name in its pipeline, and by its id', async () => {
  const { service, json, file } = await serviceHome()
  await json('deals', 'import', file('old.csv', `name,stage\nEngines,Lead\nWheels,Lead\n`), '--yes')
  const { json: before } = await service.send('GET', '/v1/deals')
  const [wheels, engines] = before.data as [{ id: string; pipeline_id: string }, { id: string; pipeline_id: string }]
  const byName = file('name.csv', `name,pipeline_id,stage,amount\nengines,${engines.pipeline_id},Won,5\nNew,,Lead,1\n`)
  const named = await json('deals', 'import', byName, '--match', 'name', '--yes')
  expect(named).toMatchObject({ rows: 2, done: 2 })
  const inPipeline = ['--match', 'name,pipeline_id', '--yes'] as const
  const same = file('same.csv', `name,pipeline_id,stage,amount\nEngines,${engines.pipeline_id},Won,5\n`)
  expect(await json('deals', 'import', same, ...inPipeline)).toMatchObject({ rows: 1, done: 0, unchanged: 1 })
  const other = file('other.csv', 'name,pipeline_id,stage\nEngines,partners,Lead\n')
  expect(await json('deals', 'import', other, ...inPipeline, '--dry-run')).toMatchObject({ create: 1, update: 0 })
  expect(await json('deals', 'import', file('id.csv', `id,amount\n${wheels.id},7\n`), '--yes')).toMatchObject({
    done: 1,
  })
  const partly = file('part.csv', 'name,amount\nNobody,1\nWheels,8\n')
  const updated = await json('deals', 'import', partly, '--match', 'name', '--mode', 'update', '--yes')
  expect(updated).toMatchObject({ rows: 2, done: 1, skipped: 1 })
  const { json: after } = await service.send('GET', '/v1/deals')
  expect(after.data).toMatchObject([
    { name: 'New', amount: 1 },
    { id: wheels.id, name: 'Wheels', amount: 8, stage: 'Lead' },
    { id: engines.id, name: 'Engines', amount: 5, stage: 'Won' },
  ])
})

test('a field that new records need may be absent only from rows that are matched by id', async () => {
  const { service, json, crm, file } = await serviceHome()
  const { id } = await json('deals', 'create', '--set', 'name=Engines', '--set', 'stage=Lead')
  const rows = file('rows.csv', `id,amount\n${id},5\n`)
  expect(await json('deals', 'import', rows, '--yes')).toMatchObject({ done: 1 })
  const byAmount = await crm('deals', 'import', rows, '--match', 'amount', '--yes')
  const notes = await crm('notes', 'import', file('notes.csv', 'id,body\nnote_0abc,Hello\n'), '--yes')
  for (const [refused, field] of [
    [byAmount, 'name'],
    [notes, 'deal_id'],
  ] as const) {
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toContain(`${field} is required`)
  }
  expect((await service.send('GET', `/v1/deals`)).json.data).toMatchObject([{ id, amount: 5 }])
})

test('with --match id an unknown id is refused, and with another key the ids of rows are not used, which is said', async () => {
  const { json, crm, file } = await serviceHome()
  const rows = file('ids.csv', 'id,email,name\ncon_0abc,ada@x.test,Ada\n')
  const refused = await crm('contacts', 'import', rows, '--match', 'id', '--yes')
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain('contact con_0abc does not exist')
  expect(await json('contacts', 'list')).toEqual([])
  const made = await crm('contacts', 'import', rows, ...MATCH)
  expect(made.exit).toBe(0)
  expect(made.stderr).toContain('The ids of the rows are not used: rows are matched by email. --match id uses them.')
})

test('an import that made a record twice compares with the server again, when the twin is gone and while it is there', async () => {
  const stored: CrmRecord[] = []
  const add = (body: string, name?: string) =>
    stored.push({ id: `c${stored.length + 1}`, ...JSON.parse(body), ...(name && { name }) })
  const { url } = await startServer((response, { method, path, body }) => {
    const known = stored.findIndex(({ id }) => path.endsWith(`/${id}`))
    if (method === 'GET')
      return sendJson(response, 200, known < 0 ? { data: stored, next_cursor: null } : stored[known])
    if (known >= 0) stored[known] = { ...stored[known], ...JSON.parse(body) }
    else add(body)
    const at = known >= 0 ? known : stored.length - 1
    if (known < 0 && stored.length === 1) add(body, 'Twin')
    return sendJson(response, 200, stored[at])
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'crm_key_of_the_test' })
  const file = join(env.HOME, 'people.csv')
  writeFileSync(file, 'email,name\na@x.test,A\nb@x.test,B\n')
  const line = ['contacts', 'import', file, ...MATCH, '-o', 'json']
  const first = await run(line, env)
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ done: 2, twice: 1 })
  expect(first.exit).toBe(3)
  expect((await run(line, env)).exit).toBe(3)
  stored.splice(1, 1)
  Object.assign(stored[1] ?? {}, { name: 'Changed' })
  const { exit, stdout, stderr } = await run(line, env)
  expect(exit, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ rows: 2, done: 1, unchanged: 1 })
  expect(stored.map(({ name }) => name)).toEqual(['A', 'B'])
})

test('with --mode update a row that matches nothing makes nothing', async () => {
  const { json, file } = await serviceHome()
  const rows = file('rows.csv', 'email,name\nnew@x.test,New\n')
  const outcome = await json('contacts', 'import', rows, ...MATCH, '--mode', 'update')
  expect(outcome).toMatchObject({ rows: 1, done: 0, skipped: 1 })
  expect(await json('contacts', 'list')).toEqual([])
})

test('a row without its matching column is refused, and so are two rows for one contact; nothing is sent', async () => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'name=No Mail')
  for (const text of ['email,name\n,Nobody\n', 'email,name\na@x.test,A\nA@x.test ,B\n']) {
    const { exit, stderr } = await crm('contacts', 'import', file('rows.csv', text), ...MATCH)
    expect(exit, stderr).toBe(2)
  }
  expect(await json('contacts', 'list')).toMatchObject([{ name: 'No Mail', version: 1 }])
})

test('empty cells over values are counted, and cleared with --clear-empty alone', async () => {
  const { json, crm, file } = await serviceHome()
  const set = (name: string) => ['--set', `name=${name}`, '--set', `email=${name}@x.test`, '--set', 'company=ACME']
  for (const name of ['ada', 'eve']) await json('contacts', 'create', ...set(name))
  const rows = file('rows.csv', 'email,name,company,phone\nada@x.test,Ada,,\neve@x.test,,ACME,\n,,,\n')
  const kept = await crm('contacts', 'import', rows, ...MATCH)
  expect(kept.exit, kept.stderr).toBe(0)
  expect(kept.stderr).toContain(
    '2 empty cells are ignored: their records keep their values. --clear-empty clears the fields instead.',
  )
  const companies = async () =>
    (await json('contacts', 'list')).map(({ company }: { company: string | null }) => company)
  expect(await companies()).toEqual(['ACME', 'ACME'])
  const only = file('company.csv', 'email,company,phone\nada@x.test,,\neve@x.test,Other,\n,,\n')
  const cleared = await crm('contacts', 'import', only, ...MATCH, '--clear-empty')
  expect(cleared.exit, cleared.stderr).toBe(0)
  expect(cleared.stderr).not.toContain('empty cell')
  expect(await companies()).toEqual(expect.arrayContaining(['Other', undefined]))
  expect(await crm('contacts', 'import', only, ...MATCH, '--null', '')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--clear-empty'),
  })
})

test.each([
  ['contacts', 'import', 'FILE', '--match', 'email'],
  ['contacts', 'update', '--from', 'FILE', '--match', 'email'],
  ['deals', 'import', 'FILE'],
])("--null '' of %s %s is refused in favour of --clear-empty", async (...words) => {
  const { crm, file } = await serviceHome()
  const rows = file('rows.csv', 'email,company,note\na@x.test,,\nb@x.test,,\n')
  const line = words.map((word) => (word === 'FILE' ? rows : word))
  for (const null_ of [['--null', ''], ['--null='], ['--null=', '--clear-empty']]) {
    const refused = await crm(...line, '--yes', ...null_)
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--clear-empty') })
  }
})

test('an update clears fields by empty cells with --clear-empty alone, and blank cells are texts without --trim', async () => {
  const { json, crm, file } = await serviceHome()
  const set = ['--set', 'email=ada@x.test', '--set', 'company=ACME', '--set', 'phone=1', '--set', 'note=kept']
  await json('contacts', 'create', ...set)
  const update = (text: string, ...flags: string[]) =>
    json('contacts', 'update', '--from', file('rows.csv', text), ...MATCH, ...flags)
  const contact = async () => (await json('contacts', 'list'))[0]
  expect(await update('email,company\nada@x.test,\n')).toMatchObject({ done: 0, unchanged: 1 })
  expect(await update('email,company\nada@x.test, \n', '--clear-empty')).toMatchObject({ done: 1 })
  expect(await contact()).toMatchObject({ company: ' ', phone: '1', note: 'kept' })
  expect(await update('email,company,phone\nada@x.test, ,\n', '--clear-empty', '--trim')).toMatchObject({ done: 1 })
  const { company = null, phone = null, note } = await contact()
  expect({ company, phone, note }).toEqual({ company: null, phone: null, note: 'kept' })
  const json_ = file('rows.json', '[{"email":"ada@x.test","note":""}]')
  expect(await crm('contacts', 'import', json_, ...MATCH, '--clear-empty')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--clear-empty applies to cells, and json has none'),
  })
})

test('a number that a spreadsheet has shortened is refused over digits, with both values', async () => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@x.test', '--set', 'phone=+49 1522 1234567')
  await json('contacts', 'create', '--set', 'name=Eve', '--set', 'email=eve@x.test', '--set', 'phone=n/a')
  const rows = file('rows.csv', 'email;phone\nada@x.test;4,91522E+12\neve@x.test;2E5\n')
  const refused = await crm('contacts', 'import', rows, ...MATCH)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('"4,91522E+12" over "+49 1522 1234567"') })
  expect(refused.stderr).toContain('1 error in')
  expect((await json('contacts', 'list')).map(({ phone }: { phone: string }) => phone)).toContain('+49 1522 1234567')
})

test.each([
  ['0049123', '49123', 'removed the zeros at the start'],
  ['+491522123', '491522123', 'removed the plus at the start'],
  ['00', '0', 'removed the zeros at the start'],
  ['49152212345678901', '49152212345678900', 'kept 15 digits'],
])('%s, of which a spreadsheet made %s, is not replaced', async (phone, cell, loss) => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'email=ada@x.test', '--set', `phone=${phone}`)
  const rows = file('rows.csv', `email,Phone\nada@x.test,${cell}\n`)
  const refused = await crm('contacts', 'import', rows, ...MATCH)
  expect(refused).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`"${cell}" over "${phone}": a spreadsheet has ${loss}`),
  })
  expect(refused.stderr).toContain('--map Phone=phone:text')
  const written = await crm('contacts', 'import', rows, ...MATCH, '--map', 'Phone=phone:text')
  expect(written, written.stderr).toMatchObject({ exit: 0 })
  expect(await json('contacts', 'list')).toMatchObject([{ phone: cell }])
})

test.each([
  ['phone', '0049123', '49123', 'removed the zeros at the start'],
  ['email, else phone', '+491522123', '491522123', 'removed the plus at the start'],
  ['phone,name', '49152212345678901', '49152212345678900', 'kept 15 digits'],
])('--match %s: %s, of which a spreadsheet made %s, makes no second record', async (match, phone, cell, loss) => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'name=Ada', '--set', `phone=${phone}`)
  const rows = file('rows.csv', `name,email,Phone\nAda,ada@x.test,${cell}\n`)
  for (const mode of ['upsert', 'update']) {
    const refused = await crm('contacts', 'import', rows, '--match', match, '--mode', mode, '--yes')
    expect(refused).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(`"${cell}" for a record with "${phone}": a spreadsheet has ${loss}`),
    })
  }
  const other = file('other.csv', 'name,email,Phone\nBob,bob@x.test,49124\n')
  expect(await json('contacts', 'import', other, '--match', match, '--yes')).toMatchObject({ done: 1 })
  const kept = await json('contacts', 'import', rows, '--match', match, '--yes', '--map', 'Phone=phone:text')
  expect(kept).toMatchObject({ done: 1 })
  expect(await json('contacts', 'list')).toHaveLength(3)
})

test('all shortened cells of a row are reported together, and it fails once', async () => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'email=ada@x.test', '--set', 'phone=0049123', '--set', 'zip=01067')
  const rows = file('rows.csv', 'email,phone,zip\nada@x.test,49123,1067\n')
  const refused = await crm('contacts', 'import', rows, ...MATCH)
  expect(refused.exit).toBe(2)
  for (const both of ['"49123" over "0049123"', '"1067" over "01067"']) expect(refused.stderr).toContain(both)
  const rejected = await crm('contacts', 'import', rows, ...MATCH, '--rejects', `${rows}.bad`, '-o', 'json')
  expect(rejected.exit).toBe(3)
  expect(JSON.parse(rejected.stdout)).toMatchObject({ rows: 1, failed: 1 })
  const failed = readFileSync(`${rows}.bad`, 'utf8')
  for (const old of ['0049123', '01067']) expect(failed).toContain(old)
})

test('other digits than those of the record replace it', async () => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'email=ada@x.test', '--set', 'phone=0049123')
  for (const phone of ['0049124', '491234', '+0049123', '123']) {
    const rows = file('rows.csv', `email,phone\nada@x.test,${phone}\n`)
    expect(await crm('contacts', 'import', rows, ...MATCH)).toMatchObject({ exit: 0 })
    expect(await json('contacts', 'list')).toMatchObject([{ phone }])
  }
})

test("--match 'email, else phone' matches by email, and by phone what no email matches; the plan counts both", async () => {
  const { json, crm, file } = await serviceHome()
  const set = (...pairs: readonly string[]) => pairs.flatMap((pair) => ['--set', pair])
  await json('contacts', 'create', ...set('name=Ada', 'email=ada@x.test', 'phone=+49 1'))
  await json('contacts', 'create', ...set('name=Bob', 'phone=+49 2'))
  await json('contacts', 'create', ...set('name=Cyd', 'email=cyd@x.test', 'phone=+49 3'))
  const text = [
    'name,email,phone',
    'Ada L,ADA@x.test,+49 11',
    'Bob L,bob@x.test,+49 2',
    'Cyd L,,+49 3',
    'New,,+49 4',
    'Newer,new@x.test,+49 5',
  ]
  const rows = file('rows.csv', `${text.join('\n')}\n`)
  const match = ['--match', 'email, else phone', '--yes'] as const
  const { exit, stderr } = await crm('contacts', 'import', rows, ...match)
  expect(exit, stderr).toBe(0)
  expect(stderr).toContain('Matched rows: 1 by email, 2 by phone.')
  const shown = (await json('contacts', 'list')).map(({ name, email, phone }: CrmRecord) => [name, email, phone])
  expect(shown).toHaveLength(5)
  expect(shown).toEqual(
    expect.arrayContaining([
      // By phone: the email is written like any field. By email: so is the phone.
      ['Ada L', 'ada@x.test', '+49 11'],
      ['Bob L', 'bob@x.test', '+49 2'],
      ['Cyd L', 'cyd@x.test', '+49 3'],
      ['New', undefined, '+49 4'],
    ]),
  )
  expect(await json('contacts', 'import', rows, ...match, '--again')).toMatchObject({ done: 0, unchanged: 5 })
})

test('with an else, two rows for one record are refused, and so is a row without any of its members', async () => {
  const { json, crm, file } = await serviceHome()
  const match = ['--match', 'email, else phone', '--yes'] as const
  for (const [rows, error] of [
    ['A,a@x.test,+49 1\nB,,+49 1\n', 'the same email, else phone as line 2'],
    ['A,,\n', 'no value in email, else phone to match by'],
  ]) {
    const refused = await crm('contacts', 'import', file('rows.csv', `name,email,phone\n${rows}`), ...match)
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(error as string) })
  }
  const wrong = await crm('contacts', 'import', file('rows.csv', 'name,id\nA,1\n'), '--match', 'id, else name')
  expect(wrong).toMatchObject({ exit: 2, stderr: expect.stringContaining("--match 'email, else phone'") })
  expect(await json('contacts', 'list')).toEqual([])
})

test('a file that was imported is not imported a second time unless that is asked', async () => {
  const { json, crm, file } = await serviceHome()
  const rows = file('rows.csv', 'name\nAda\nBob\n')
  expect(await json('contacts', 'import', rows)).toMatchObject({ done: 2 })
  expect((await crm('contacts', 'import', rows)).stderr).toContain('has already done this')
  expect(await json('contacts', 'list')).toHaveLength(2)
  expect(await json('contacts', 'import', rows, '--again', '--yes')).toMatchObject({ done: 2 })
  expect(await json('contacts', 'list')).toHaveLength(4)
})

type Listed = Readonly<Record<string, unknown>>

/** An import by email into a server that lists what it made as `listed` says. */
async function importInto(
  first: readonly Listed[],
  listed: (record: Listed) => Listed | undefined,
  email = 'a@x.test',
) {
  const records: Listed[] = [...first]
  const { url, seen } = await startServer((response, { method, path, body }) => {
    if (method === 'GET' && path === '/v1/contacts/c0') return sendJson(response, 200, records[0])
    if (method === 'GET')
      return sendJson(response, 200, { data: records.flatMap((each) => listed(each) ?? []), next_cursor: null })
    if (method === 'PATCH') return sendJson(response, 200, { ...first[0], ...JSON.parse(body) })
    const record = { id: `c${records.length}`, ...JSON.parse(body) }
    records.push(record)
    sendJson(response, 201, record)
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789' })
  const file = join(env.HOME ?? '', 'rows.csv')
  writeFileSync(file, `name,email\nAda,${email}\n`)
  const outcome = await run(['contacts', 'import', file, ...MATCH, '-o', 'json'], env)
  return { ...outcome, writes: seen.filter(({ method }) => method !== 'GET') }
}

test.each<[string, (record: Listed) => Listed | undefined, RegExp]>([
  ['the email', ({ email: _, ...record }) => record, /no record of the list has email as a text or number/],
  ['an id', ({ id: _, ...record }) => record, /expected the id of each record at id, got an object with email, name/],
  ['any record', () => undefined, /the list shows none of the 1 records that the job created/],
])(
  'an import is exit 7 with its account if duplicates cannot be looked for: the list does not show %s',
  async (_, listed, what) => {
    const { exit, stdout, stderr } = await importInto([], listed)
    expect([exit, stderr]).toEqual([7, expect.stringMatching(what)])
    expect(stderr).toContain('duplicates cannot be looked for')
    expect(stderr).not.toContain('--no-recheck')
    expect(JSON.parse(stdout)).toMatchObject({ rows: 1, done: 1, twice: null })
  },
)

test.each(['mailto:ada@x.test', 'MAILTO:ada@x.test?subject=Hi', '"""Ada"" <ada@x.test>"', 'Ada <ada@x.test>'])(
  'a row matched by email in which the email is %s is refused, and nothing is sent',
  async (email) => {
    const { exit, stderr, writes } = await importInto([], (record) => record, email)
    expect([exit, writes]).toEqual([2, []])
    expect(stderr).toContain('expected the address alone: ada@x.test')
  },
)

test.each(['mailto:ADA@x.test', '"Ada" <ada@x.test>', '<ada@x.test>'])(
  'a row changes the contact whose email the server has as %s',
  async (email) => {
    const first = [{ id: 'c0', name: 'Old', email }]
    const { writes } = await importInto(first, (record) => record, 'ada@x.test')
    expect(writes).toMatchObject([{ method: 'PATCH', path: '/v1/contacts/c0' }])
  },
)

test('a resume that creates a row looks for duplicates again', async () => {
  const contacts: { id: string; email: string; [name: string]: string }[] = []
  let isResumed = false
  const { crm, folder } = await startForeign(
    ({ method, path, body }) => {
      if (!path.startsWith('/v1/contacts')) return { status: 404, json: {} }
      if (method === 'GET') return { json: { data: contacts, next_cursor: null } }
      const made = { id: `c_${contacts.length + 1}`, ...JSON.parse(body), created_at: new Date().toISOString() }
      const isLost = made.email === 'bob@x.test' && !isResumed
      contacts.push(isLost ? { ...made, name: 'Robert' } : made)
      if (isResumed) contacts.push({ ...made, id: 'c_other' })
      return isLost ? { status: 500, json: {} } : { status: 201, json: made }
    },
    undefined,
    KEEPS_NO_KEYS,
  )
  const file = fileIn(folder, 'rows.csv', 'email,name\nada@x.test,Ada\nbob@x.test,Bob\n')
  const first = await crm(['contacts', 'import', file, ...MATCH, '-o', 'json'])
  expect([first.exit, JSON.parse(first.stdout)]).toMatchObject([3, { done: 1, in_doubt: 1, twice: 0 }])
  contacts.pop()
  isResumed = true
  const [job] = JSON.parse((await crm(['jobs', 'list', '-o', 'json'])).stdout)
  const resumed = await crm(['jobs', 'resume', job.id, '-o', 'json'])
  expect([resumed.exit, JSON.parse(resumed.stdout)]).toMatchObject([3, { done: 2, in_doubt: 0, twice: 1 }])
})

const even = async (records: readonly CrmRecord[]) => records.filter(({ id }) => Number(id) % 2 === 0)

async function* pages(...items: readonly (readonly number[])[]): AsyncGenerator<Page> {
  for (const [at, page] of items.entries()) {
    yield { items: page.map((id) => ({ id })), nextCursor: at + 1 < items.length ? `after_${at}` : undefined }
  }
}

async function kept(limit: number | undefined, ...items: readonly (readonly number[])[]) {
  const all: unknown[] = []
  for await (const { items: found, nextCursor, isCut } of keepMatching(pages(...items), even, limit)) {
    all.push([found.map(({ id }) => id), nextCursor, isCut])
  }
  return all
}

test('each page keeps what matches and its cursor', async () => {
  expect(await kept(undefined, [1, 2], [3], [4, 6])).toEqual([
    [[2], 'after_0', undefined],
    [[], 'after_1', undefined],
    [[4, 6], undefined, undefined],
  ])
})

test('a limit that ends with a page keeps its cursor; one that cuts a page has none, which would skip records', async () => {
  expect(await kept(1, [1, 2], [4])).toEqual([[[2], 'after_0', undefined]])
  expect(await kept(2, [2, 4, 6], [8])).toEqual([[[2, 4], undefined, true]])
})

/** An import by email into a server whose contacts are these, by a connector file that says where the email is. */
async function importAmong(contacts: readonly JsonObject[], fields: string) {
  const { crm, folder, seen } = await startForeign(
    ({ method }) => (method === 'GET' ? { json: { data: contacts, next_cursor: null } } : { status: 500, json: {} }),
    undefined,
    `objects: { contacts: { fields: ${fields} } }`,
  )
  const file = fileIn(folder, 'rows.csv', 'email,name\na@x.test,Ada\nnew@x.test,New\n')
  const outcome = await crm(['contacts', 'import', file, ...MATCH, '--dry-run', '-o', 'json'])
  return { ...outcome, methods: [...new Set(seen.map(({ method }) => method))] }
}

test('the plan counts the records of the server that show no value to match by', async () => {
  const contacts = [
    { id: 'c1', name: 'Ada', email: 'a@x.test' },
    { id: 'c2', name: 'New', contact: { mail: 'new@x.test' } },
    { id: 'c3', name: 'No Mail', email: '' },
  ]
  const { exit, stdout, stderr } = await importAmong(contacts, '{ email: email }')
  expect([exit, stderr]).toEqual([0, expect.stringContaining('2 of 3 contacts read show no email, and match no row.')])
  expect(JSON.parse(stdout)).toMatchObject({ create: 1, unchanged: 1, matched_by: 'list', unmatchable: 2 })
})

test('a field of a connector file that no record of the server shows is exit 7 before anything is sent', async () => {
  const contacts = [{ id: 'c1', name: 'Ada', contact: { mail: 'a@x.test' } }]
  const { exit, stderr, methods } = await importAmong(contacts, '{ email: contact.email }')
  expect([exit, methods]).toEqual([7, ['GET']])
  expect(stderr).toContain('no record of the list has email as a text or number, so no row can be matched by it')
  const right = await importAmong(contacts, '{ email: contact.mail }')
  expect(right.exit, right.stderr).toBe(0)
})

test.for([
  { why: 'matched', head: 'email,Zip', flags: MATCH },
  { why: 'new', head: 'email,Zip', flags: ['--yes'] },
  { why: 'of a nested member', head: 'email,Home.Town', flags: MATCH },
])('a heading that differs from a member of the records in its case is asked for: rows $why', async (given) => {
  const { service, json, crm, file } = await serviceHome()
  await service.send('POST', '/v1/contacts', { name: 'Ada', email: 'ada@x.test', zip: '1', home: { Town: 'Ulm' } })
  const [, own = ''] = given.head.split(',')
  const rows = file('rows.csv', `${given.head}\nada@x.test,2\nnew@x.test,3\n`)
  const asked = await crm('contacts', 'import', rows, ...given.flags)
  expect(asked).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`"${own}" beside "${own.replace(/^./, (first) => first.toLowerCase())}"`),
  })
  const maps = [...asked.stderr.matchAll(/--map (\S+)/g)].map(([, map = '']) => map)
  expect(await json('contacts', 'list')).toHaveLength(1)
  for (const [at, map] of maps.entries()) {
    const plan = await json('contacts', 'import', rows, ...given.flags, '--map', map, '--dry-run')
    const member = (at === 0 ? own.replace(/^./, (first) => first.toLowerCase()) : own).split('.')[0]
    expect(plan.fields.map(({ field }: { field: string }) => field)).toContain(member)
  }
  expect(maps).toHaveLength(2)
})

test('a heading is stored as it is where no record has a member of that name, and where one has exactly that', async () => {
  const { service, json, crm, file } = await serviceHome()
  const rows = file('rows.csv', 'email,Zip\nada@x.test,2\n')
  expect(await json('contacts', 'import', rows, ...MATCH)).toMatchObject({ done: 1 })
  await service.send('POST', '/v1/contacts', { name: 'Bob', zip: '1' })
  const more = file('more.csv', 'email,Zip\nada@x.test,4\n')
  expect(await crm('contacts', 'import', more, ...MATCH)).toMatchObject({ exit: 0 })
})
