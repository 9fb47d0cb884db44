import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { onlyJob, runJob } from '../../harness/import-run.ts'
import { all, make } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

vi.setConfig({ testTimeout: 60_000 })

const ROWS = [
  'Name;E-Mail;Score',
  'Ada;ada@x.test;9',
  'Bob;bob@x.test;9,5',
  'Cyd;cyd@x.test;1;2',
  'Dee;ADA@x.test;2',
  'Eve;eve@x.test;3',
  '',
].join('\r\n')

const WORDS = ['--map', 'Score=score:number', '--match', 'email']

async function start(rows = ROWS) {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const [file, rejects, state] = [join(folder, 'leads.csv'), join(folder, 'bad.csv'), join(folder, 'state')]
  writeFileSync(file, rows)
  const env = { ...service.env, CRM_STATE_HOME: state }
  return { service, folder, file, rejects, state, env, words: ['contacts', 'import', file, ...WORDS] }
}

const scores = (records: readonly Record<string, unknown>[]) =>
  Object.fromEntries(records.map(({ email, score = null }) => [email, score]))

test('--rejects sends the good rows, writes the others with line, column and reason, and takes them back corrected', async () => {
  const { service, rejects, state, env, words } = await start()
  const run = await runJob([...words, '--rejects', rejects], env)
  expect(run).toMatchObject({ exit: 3, account: { rows: 5, done: 2, failed: 3, unsent: 0 } })
  expect(run.stderr).toContain('Plan: create 2, 3 rejected, of 5 rows')
  const job = onlyJob(state)
  expect(run.stderr).toContain(`crm jobs retry ${job} --from ${rejects}`)
  const number = 'expected a number such as 1200.5, with a decimal point instead of a comma'
  expect(readFileSync(rejects, 'utf8').split('\r\n')).toEqual([
    '_crm_line;_crm_code;_crm_field;_crm_reason;Name;E-Mail;Score',
    `3;not_a_number;Score;"Score: ""9,5"": ${number}";Bob;bob@x.test;9,5`,
    '4;ragged_row;;"""2"": it has 4 cells, and the header row has 3";Cyd;cyd@x.test;1;2',
    '5;duplicate_key;email;"email: ""ADA@x.test"": the same email as line 2";Dee;ADA@x.test;2',
    '',
  ])
  expect(scores(await all(service, '/v1/contacts'))).toEqual({ 'ada@x.test': 9, 'eve@x.test': 3 })

  const again = await runJob([...words, '--rejects', rejects], env)
  expect(again).toMatchObject({ exit: 3, account: { done: 0, unchanged: 2, failed: 3 } })
  expect(again.stderr).toMatch(/Correct them, then: crm jobs retry job_\w+ --from /)

  const fixed = readFileSync(rejects, 'utf8')
    .replace(';9,5\r', ';9.5\r')
    .replace(';1;2\r', ';1\r')
    .replace(';ADA@', ';dee@')
  writeFileSync(rejects, fixed)
  const retried = await runJob(['jobs', 'retry', job, '--from', rejects, '--yes'], env)
  expect(retried).toMatchObject({ exit: 0, account: { rows: 3, done: 3 } })
  const expected = { 'ada@x.test': 9, 'eve@x.test': 3, 'bob@x.test': 9.5, 'cyd@x.test': 1, 'dee@x.test': 2 }
  expect(scores(await all(service, '/v1/contacts'))).toEqual(expected)
  expect(readFileSync(rejects, 'utf8')).toBe(fixed)
})

test('rows that the server refuses join the rejected ones', async () => {
  const { service, rejects, env, file, words } = await start()
  writeFileSync(file, ROWS.replace('eve@x.test', 'x'.repeat(70_000)))
  const run = await runJob([...words, '--rejects', rejects], env)
  expect(run).toMatchObject({ exit: 3, account: { rows: 5, done: 1, failed: 4 } })
  expect(readFileSync(rejects, 'utf8').split('\r\n').length).toBe(6)
  expect(await all(service, '/v1/contacts')).toHaveLength(1)
})

test('a file of --rejects that a person has changed is kept, and one that nobody changed is replaced', async () => {
  const { file, rejects, env, words } = await start()
  await runJob([...words, '--rejects', rejects], env)
  const first = readFileSync(rejects, 'utf8')
  writeFileSync(file, ROWS.replace('9,5', '9.5'))
  expect(await runJob([...words, '--rejects', rejects], env)).toMatchObject({ exit: 3, account: { done: 1 } })
  expect(readFileSync(rejects, 'utf8')).not.toBe(first)
  expect(readFileSync(rejects, 'utf8')).not.toContain('bob@x.test')
  writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('ADA@', 'dee@'))
  writeFileSync(file, ROWS.replace('9,5', '9.25'))
  const refused = await crm([...words, '--rejects', rejects, '--yes'], env)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('may hold rows that were corrected') })
  expect(readFileSync(rejects, 'utf8')).toContain('dee@x.test')
})

test('a file of --rejects from which a person has deleted the last rows is kept, and is private', async () => {
  const { rejects, env, words } = await start()
  await runJob([...words, '--rejects', rejects], env)
  expect(statSync(rejects).mode & 0o777).toBe(0o600)
  const shorter = `${readFileSync(rejects, 'utf8').split('\r\n').slice(0, 2).join('\r\n')}\r\n`
  writeFileSync(rejects, shorter)
  expect(await crm([...words, '--again', '--rejects', rejects, '--yes'], env)).toMatchObject({ exit: 2 })
  expect(readFileSync(rejects, 'utf8')).toBe(shorter)
})

test('--max-rejects refuses the file above its number or part, and sends nothing', async () => {
  const { service, rejects, env, words } = await start()
  for (const most of ['2', '50%']) {
    const run = await crm([...words, '--rejects', rejects, '--max-rejects', most], env)
    expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining('3 rows of') })
  }
  expect(existsSync(rejects)).toBe(false)
  expect(await all(service, '/v1/contacts')).toEqual([])
  const most = ['--rejects', rejects, '--max-rejects', '60%']
  expect(await runJob([...words, ...most], env)).toMatchObject({ exit: 3, account: { done: 2 } })
})

test('a dry run counts the rejected rows and writes no file', async () => {
  const { rejects, env, words } = await start()
  const shown = JSON.parse(await crmPrints([...words, '--rejects', rejects, '--dry-run', '-o', 'json'], env))
  expect(shown).toMatchObject({ rows: 5, create: 2, rejected: 3, ambiguous: 0, left_out: [] })
  expect(existsSync(rejects)).toBe(false)
})

const TWICE = 'email,name,phone,company\na@x.test,Ada,1,\nb@x.test,Bob,2,\n A@x.test ,,3,Orbit\n'

test.each([
  ['first', { name: 'Ada', phone: '1', company: undefined }],
  ['last', { name: undefined, phone: '3', company: 'Orbit' }],
  ['merge', { name: 'Ada', phone: '3', company: 'Orbit' }],
])('--duplicates %s makes one contact of the rows with one key, and names the others', async (how, expected) => {
  const { service, state, env, words } = await start(TWICE)
  const asked = [...words.slice(0, 3), '--match', 'email', '--duplicates', how]
  expect(await runJob(asked, env)).toMatchObject({ exit: 0, account: { rows: 3, done: 2, skipped: 1 } })
  const people = await all(service, '/v1/contacts')
  const found = people.find(({ email }) => String(email).trim().toLowerCase() === 'a@x.test')
  expect(found).toMatchObject(Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)))
  for (const [name, value] of Object.entries(expected)) expect(found?.[name]).toBe(value)
  const skipped = JSON.parse(await crmPrints(['jobs', 'failed', onlyJob(state), '--skipped', '-o', 'json'], env))
  const [line, other] = how === 'first' ? [4, 2] : [2, 4]
  expect(skipped).toMatchObject([{ line, code: 'same_key', reason: `the same email as line ${other}` }])
  expect(await runJob(asked, env)).toMatchObject({ exit: 0, account: { done: 0, unchanged: 2, skipped: 1 } })
  expect(await all(service, '/v1/contacts')).toHaveLength(2)
})

test('a merged row that fails comes back with all its rows, which a retry merges again', async () => {
  const { service, state, env, words, folder } = await start(TWICE)
  const [found] = await make(service, '/v1/contacts', [{ email: 'a@x.test' }, { email: 'a@X.test' }])
  const asked = [...words.slice(0, 3), '--match', 'email', '--duplicates', 'merge']
  expect(await runJob(asked, env)).toMatchObject({ exit: 3, account: { done: 1, skipped: 1, failed: 1 } })
  const job = onlyJob(state)
  const rows = readFileSync(join(state, 'jobs', `${job}.failed.csv`), 'utf8')
  expect(rows.split('\n').map((line) => line.split(',')[0])).toEqual(['_crm_line', '2', '4', ''])
  const corrected = join(folder, 'corrected.csv')
  writeFileSync(corrected, rows.replaceAll(/a@x.test/gi, 'new@x.test'))
  expect(await runJob(['jobs', 'retry', job, '--from', corrected], env)).toMatchObject({
    exit: 0,
    account: { done: 1 },
  })
  expect(found).toBeDefined()
  const made = (await all(service, '/v1/contacts')).find(({ email }) => String(email).includes('new@x.test'))
  expect(made).toMatchObject({ name: 'Ada', phone: '3', company: 'Orbit' })
})

test('with -o jsonl every error is listed, after the number of each cause', async () => {
  const bad = Array.from({ length: 70 }, (_, at) => `P${at};p${at}@x.test;x\n`).join('')
  const { env, words } = await start(`Name;E-Mail;Score\n${bad}Ada;ada@x.test;1;2\n`)
  const { exit, stderr } = await crm([...words, '-o', 'jsonl'], env)
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exit).toBe(2)
  expect(lines.slice(0, 2)).toEqual([
    { findings: { code: 'not_a_number', column: 'Score', count: 70 } },
    { findings: { code: 'ragged_row', column: null, count: 1 } },
  ])
  const findings = lines.flatMap(({ finding }) => finding ?? [])
  expect(findings.map(({ line }) => line)).toEqual(Array.from({ length: 71 }, (_, at) => at + 2))
  expect(findings[69]).toMatchObject({ code: 'not_a_number', column: 'Score', value: 'x', count: 70 })
})

const SHORT = [
  'name;email;phone;company',
  'Ann;ann@x.test',
  'Bob;bob@x.test;030123456;ACME',
  'Dee;dee@x.test;;X',
  '',
].join('\n')

/** Cells as a spreadsheet reads the file, and as it saves them: all rows as long as the longest. */
function savedBySpreadsheet(csv: string): string {
  const rows = csv.split('\n').map((line) => (line === '' ? [] : line.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)))
  const width = Math.max(...rows.map(({ length }) => length))
  return rows
    .map((row) => (row.length === 0 ? '' : [...row, ...Array(width - row.length).fill('')].join(';')))
    .join('\n')
}

test('a row that is too short comes back with its cells in its own columns, through a spreadsheet too', async () => {
  const { service, rejects, state, env, words } = await start(SHORT)
  expect(await runJob([...words.slice(0, 3), '--rejects', rejects], env)).toMatchObject({ exit: 3 })
  const [header, row] = readFileSync(rejects, 'utf8').split('\n')
  expect(header).toBe('_crm_line;_crm_code;_crm_field;_crm_reason;name;email;phone;company')
  expect(row).toMatch(/^2;ragged_row;;.*;Ann;ann@x.test;;$/)
  writeFileSync(rejects, savedBySpreadsheet(readFileSync(rejects, 'utf8')))
  const retried = await runJob(['jobs', 'retry', onlyJob(state), '--from', rejects, '--yes'], env)
  expect(retried).toMatchObject({ exit: 0, account: { rows: 1, done: 1 } })
  const [ann] = (await all(service, '/v1/contacts')).filter(({ name }) => name === 'Ann')
  expect(ann).toMatchObject({ email: 'ann@x.test' })
  expect(ann).not.toHaveProperty('phone')
})

test.each([
  ['a text', 'ragged_row', 'names no line in _crm_line'],
  ['no cell', '', 'names no line in _crm_line'],
  ['a line of another file', '77', 'names line 77 in _crm_line'],
  ['a line that was done', '3', 'names line 3 in _crm_line'],
])('a retry sends nothing from a file whose _crm_line is %s', async (_, cell, reason) => {
  const { service, rejects, state, env, words } = await start(SHORT)
  await runJob([...words.slice(0, 3), '--rejects', rejects], env)
  const job = onlyJob(state)
  writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('\n2;', `\n${cell};`))
  const before = await all(service, '/v1/contacts')
  const refused = await runJob(['jobs', 'retry', job, '--from', rejects, '--yes'], env)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(reason) })
  expect(refused.stderr).toContain(`crm jobs failed ${job}`)
  expect(await all(service, '/v1/contacts')).toEqual(before)
})

test('an import sends nothing from a row with a text in _crm_line, and takes one without', async () => {
  const header = 'name;email;phone;company;_crm_line;_crm_code;_crm_field;_crm_reason'
  const slid = 'Ann;ann@x.test;2;ragged_row;"it has 2 cells";;;'
  const { service, env, file } = await start([header, slid, ''].join('\n'))
  const words = ['contacts', 'import', file, '--match', 'email', '--yes']
  const refused = await runJob(words, env)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('line 2 has no number in _crm_line') })
  expect(await all(service, '/v1/contacts')).toEqual([])
  expect(await runJob([...words, '--map', '_crm_line='], env)).toMatchObject({ exit: 0 })
  writeFileSync(file, [header, 'Bob;bob@x.test;2;X;;;;', ''].join('\n'))
  expect(await runJob(words, env)).toMatchObject({ exit: 0, account: { done: 1 } })
})
