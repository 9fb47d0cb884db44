import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { startService } from '../harness/service.ts'
import { newSecret } from '../webhooks/signed.ts'

const FIXTURES =
  'version: 1\ncontacts:\n  ada: { name: Ada, email: "ada+${run.id}@example.test" }\n  bob: { name: Bob }\n'

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const junit = join(folder, 'report.xml')
  return {
    at: (name: string) => join(folder, name),
    flags: ['--report', `junit=${junit}`, '--report', 'github'],
    junit: () => readFileSync(junit, 'utf8'),
  }
}

function failures(xml: string): number {
  return Number(/<testsuites [^>]*failures="(\d+)"/.exec(xml)?.[1])
}

test('validate reports each mistake at its line, and passes each file without', async () => {
  const { at, flags, junit } = folderWith({
    'good.yaml': FIXTURES,
    'bad.yaml': `${FIXTURES}  eve: { emial: x, nmae: y }\n`,
  })
  const bad = await crm(['fixtures', 'validate', at('bad.yaml'), ...flags], emptyHome())
  expect(bad).toMatchObject({ exit: 2, stdout: '' })
  expect(bad.stderr).toContain(
    `::error file=${at('bad.yaml')},line=5,col=10,title=${at('bad.yaml')}%3A5::contacts have no field "emial"`,
  )
  expect(failures(junit())).toBe(bad.stderr.match(/^::error/gm)?.length)
  expect(junit()).toContain(`file="${at('bad.yaml')}" line="5"`)
  const good = await crm(['fixtures', 'validate', at('good.yaml'), ...flags, '-q'], emptyHome())
  expect(good).toEqual({ exit: 0, stdout: 'No mistakes; 2 records\n', stderr: '' })
  expect(failures(junit())).toBe(0)
  expect(junit()).toContain('<testcase name=')
})

test('plan reports what apply would do, as failures only where that is an exit code; -q drops the rows', async () => {
  const { env } = await startService()
  const { at, flags, junit } = folderWith({ 'demo.yaml': FIXTURES })
  const plan = ['fixtures', 'plan', at('demo.yaml'), '--run-id', 'r1', ...flags]
  const noted = await crm(plan, env)
  expect(noted.exit).toBe(0)
  expect(noted.stderr).toContain(
    `::notice file=${at('demo.yaml')},line=3,col=3,title=contacts.ada::apply would do: create\n`,
  )
  expect(failures(junit())).toBe(0)
  const failed = await crm([...plan, '--exit-code', '-q'], env)
  expect(failed).toMatchObject({ exit: 10, stdout: '2 create; run r1. Nothing was sent.\n' })
  expect(failed.stderr.match(/^::error /gm)).toHaveLength(2)
  expect(failures(junit())).toBe(2)
  expect(JSON.parse((await crm([...plan, '-q', '-o', 'json'], env)).stdout)).toHaveLength(2)
})

test('a report has the error with which a command ended, without a secret, and replaces that of an earlier run', async () => {
  const { at, flags, junit } = folderWith({ 'demo.yaml': FIXTURES, 'report.xml': '<testsuites failures="0"/>' })
  const key = 'crm_key_0123456789abcdef'
  const env = { ...emptyHome(), CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: key }
  const run = await crm(['fixtures', 'plan', at('demo.yaml'), '--run-id', key, '--max-wait', '0s', ...flags], env)
  expect(run.exit).toBe(9)
  expect(failures(junit())).toBe(1)
  expect(junit()).toContain('refuses connections')
  expect(junit() + run.stderr).not.toContain(key)
  const unwritable = ['--report', `junit=${at('missing/report.xml')}`]
  expect(await crm(['fixtures', 'validate', at('demo.yaml'), ...unwritable], emptyHome())).toMatchObject({
    exit: 13,
    stdout: '',
    stderr: expect.stringContaining('missing/report.xml'),
  })
})

test('diff reports each difference at its line of the file that has it; -q prints the counts alone', async () => {
  const start = '{"crm_snapshot":1,"server":"x","taken_at":"2026-01-01T00:00:00Z"}'
  const contact = (id: string, name: string) => JSON.stringify({ type: 'contact', record: { id, name } })
  const snapshot = (...lines: string[]) =>
    [start, ...lines, `{"type":"end","contacts":${lines.length},"deals":0}`, ''].join('\n')
  const { at, flags, junit } = folderWith({
    'old.ndjson': snapshot(contact('con_1', 'Ada'), contact('con_2', 'Bob')),
    'new.ndjson': snapshot(contact('con_3', 'Cyd'), contact('con_1', 'Ava')),
  })
  const run = await crm(['diff', at('old.ndjson'), at('new.ndjson'), ...flags, '-q'], emptyHome())
  expect(run).toMatchObject({ exit: 10, stdout: '1 added, 1 changed, 1 removed\n' })
  expect(run.stderr.trimEnd().split('\n')).toEqual([
    `::error file=${at('new.ndjson')},line=2,title=contact con_3::added: contact con_3 "Cyd"`,
    `::error file=${at('new.ndjson')},line=3,title=contact con_1::changed: contact con_1 "Ava": {"name":{"from":"Ada","to":"Ava"}}`,
    `::error file=${at('old.ndjson')},line=3,title=contact con_2::removed: contact con_2 "Bob"`,
  ])
  expect(failures(junit())).toBe(3)
  expect(await crm(['diff', at('old.ndjson'), at('old.ndjson'), ...flags, '-q'], emptyHome())).toEqual({
    exit: 0,
    stdout: 'No differences.\n',
    stderr: '',
  })
})

test('wait reports the event that came, or why none did', async () => {
  const { env } = await startService()
  const { at, flags, junit } = folderWith({ secret: `${newSecret()}\n` })
  const wait = ['webhooks', 'wait', 'contact.created', '--port', '0', ...flags]
  const late = await crm([...wait, '--secret-file', at('secret'), '--timeout', '0.1s'], env)
  expect(late.exit).toBe(12)
  expect(late.stderr).toContain('::error title=contact.created::contact.created not received within 0.1 s')
  expect(failures(junit())).toBe(1)
  const waiting = crmPrints([...wait, '--subscribe', '-o', 'json'], env)
  await expect.poll(() => crmPrints(['webhooks', 'list', '-o', 'id'], env)).toMatch(/wh_/)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-o', 'id'], env)
  const { record_id } = JSON.parse(await waiting)
  expect(failures(junit())).toBe(0)
  expect(junit()).toContain(`name="contact.created ${record_id}`)
})

test('while a command works, its report has failed already', async () => {
  const { env } = await startService()
  const { at, flags, junit } = folderWith({ secret: `${newSecret()}\n`, 'report.xml': '<testsuites failures="0"/>' })
  const words = [
    'webhooks',
    'wait',
    'contact.created',
    '--port',
    '0',
    '--secret-file',
    at('secret'),
    '--timeout',
    '0.5s',
  ]
  const waiting = crm([...words, ...flags], env)
  await expect.poll(junit, { interval: 10 }).toContain('did not come to its end')
  expect((await waiting).exit).toBe(12)
  expect(junit()).not.toContain('did not come to its end')
})

test('a report elsewhere is a mistake of usage', async () => {
  expect(await crm(['diff', 'a', 'b', '--report', 'html=x'], emptyHome())).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Expected junit=FILE or github.'),
  })
})

test('a file that is not a report is not replaced, above all not one that the command reads', async () => {
  const { at } = folderWith({ 'demo.yaml': FIXTURES, 'report.xml': '' })
  const validate = (to: string) =>
    crm(['fixtures', 'validate', at('demo.yaml'), '--report', `junit=${at(to)}`], emptyHome())
  const refused = await validate('demo.yaml')
  expect(refused).toMatchObject({ exit: 2, stdout: '' })
  expect(refused.stderr).toContain('demo.yaml: the file exists, and is not a report\n  name a new file')
  expect(readFileSync(at('demo.yaml'), 'utf8')).toBe(FIXTURES)
  expect(await validate('report.xml')).toMatchObject({ exit: 0 })
  expect(await validate('report.xml')).toMatchObject({ exit: 0 })
})

test('a diff without differences is a report with one test case, which passed', async () => {
  const { at, flags, junit } = folderWith({})
  const { env } = await startService()
  writeFileSync(at('a.ndjson'), await crmPrints(['snapshot'], env))
  const diff = await crm(['diff', at('a.ndjson'), at('a.ndjson'), ...flags], env)
  expect(diff).toMatchObject({ exit: 0 })
  expect(junit()).toContain('<testsuite name="crm diff" tests="1" failures="0"')
  expect(junit()).toContain('<testcase name="crm diff" classname="crm diff" time="0"/>')
})
