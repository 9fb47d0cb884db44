import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm as run } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { serviceHome } from './service-home.ts'

const PEOPLE = [
  { name: 'Ada; L', phone: '0049 30', note: 'a "b"\r\nc', score: 1234.5, tags: ['x', 1.5], mixed: 2.5 },
  { name: '\ufeffZo\u00eb, M', phone: '+49 1', score: -0.25, mixed: 'text', zip: '00123' },
]

async function withPeople(locale: Record<string, string>) {
  const { service } = await serviceHome()
  await make({ url: service.url, key: service.key.text } as never, '/v1/contacts', PEOPLE)
  const env = emptyHome({ CRM_BASE_URL: service.url, CRM_API_KEY: service.key.text, ...locale })
  const file = join(tempFolder(), 'people.csv')
  return { file, crm: (...argv: readonly string[]) => run(argv, env) }
}

test.each([
  [{ LANG: 'de_DE.UTF-8' }, ';', '1234,5'],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'fr_FR@euro' }, ';', '1234,5'],
  [{ LANG: 'de_DE.UTF-8', LC_NUMERIC: 'de_CH.UTF-8' }, ';', '1234.5'],
  [{ LANG: 'en_GB.UTF-8' }, ',', '1234.5'],
  [{ LANG: 'C.UTF-8' }, ',', '1234.5'],
  [{ LANG: 'no such locale' }, ',', '1234.5'],
  [{}, ',', '1234.5'],
])('--for excel in the locale %j has %j and %s, and the import changes nothing', async (locale, delimiter, number) => {
  const { file, crm } = await withPeople(locale)
  const { exit, stderr } = await crm('contacts', 'export', file, '--for', 'excel', '--types')
  expect(exit, stderr).toBe(0)
  const text = readFileSync(file, 'utf8')
  expect(text.startsWith('\ufeffid')).toBe(true)
  expect(text.split('\r\n', 1).join()).toContain(`${delimiter}score:number`)
  expect(text).toContain(`${delimiter}${number}${delimiter}`)
  const flags = number.includes(',') ? ['--decimal', 'comma'] : []
  expect(stderr.includes('--decimal comma')).toBe(flags.length > 0)
  const again = await crm('contacts', 'import', file, ...flags, '--dry-run', '-o', 'json')
  expect(again.exit, again.stderr).toBe(0)
  expect(JSON.parse(again.stdout)).toMatchObject({ unchanged: 2, update: 0 })
})

test('columns that first appear on a later page are added behind the byte order mark', async () => {
  const { service, file, crm } = await serviceHome()
  const many = Array.from({ length: 120 }, (_, at) => ({ name: `P${at}`, ...(at === 0 && { late: 'x;y' }) }))
  await make({ url: service.url, key: service.key.text } as never, '/v1/contacts', many)
  const out = file('all.csv', '')
  expect(await crm('contacts', 'export', out, '--for', 'excel')).toMatchObject({ exit: 0 })
  const lines = readFileSync(out, 'utf8').trimEnd().split('\r\n')
  expect(lines[0]).toMatch(/^\ufeffid,.*,late$/)
  expect(lines).toHaveLength(121)
  expect(lines.slice(1).every((line) => line.split(',').length === lines[0]?.split(',').length)).toBe(true)
})

test('--for excel goes with csv alone', async () => {
  const { crm, file } = await serviceHome()
  const refused = await crm('contacts', 'export', file('a.tsv', ''), '--for', 'excel')
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--for excel does not go with tsv') })
})
