import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'

const FORMAT_1 = `connector: 1
name: mine # ours
resources:
  contacts: { path: /people, list: { items: 'data[]', paging: none }, get: { path: '/{id}' } }
`

test('a connector of format 1 is refused with the command that rewrites it, which works as typed', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [{ id: 'p1' }] }))
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' })
  const file = join(env.HOME, 'mine.yaml')
  writeFileSync(file, FORMAT_1)
  chmodSync(file, 0o640)
  const connected = { ...env, CRM_CONNECTOR: file }
  const refused = await crm(['contacts', 'list'], connected)
  expect(refused).toMatchObject({ exit: 2, stdout: '' })
  expect(refused.stderr).toContain(`${file}: connector: 1 is the format of earlier versions, expected 2`)
  expect(refused.stderr).toContain(`\n  crm connectors check ${file}\n`)
  expect(seen).toEqual([])
  const checked = await crm(['connectors', 'check', file], env)
  expect(checked).toMatchObject({ exit: 0, stdout: '' })
  expect(checked.stderr).toBe(`${file} is rewritten in format 2; as it was: ${file}.format-1\n`)
  expect(readFileSync(`${file}.format-1`, 'utf8')).toBe(FORMAT_1)
  expect(readFileSync(file, 'utf8')).toContain('connector: 2\nname: mine # ours\nobjects:\n')
  expect(statSync(file).mode & 0o777).toBe(0o640)
  expect(await crm(['contacts', 'list', '-o', 'id'], connected)).toMatchObject({ exit: 0, stdout: 'p1\n' })
})

test('a file that format 2 cannot say is left as it is, and each mistake is named', async () => {
  const env = emptyHome()
  const file = join(env.HOME, 'mine.yaml')
  const text = FORMAT_1.replace('name: mine', "name: mine\nquery: { '<<': 1 }\nsuccess: { at: state, not: bad }")
  writeFileSync(file, text)
  const { exit, stderr } = await crm(['connectors', 'check', 'mine.yaml'], env, '', env.HOME)
  expect(exit).toBe(2)
  expect(stderr).toContain('"success" is not a member of "connector"')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a file of the name under which the old text would be kept is not written over', async () => {
  const env = emptyHome()
  const file = join(env.HOME, 'mine.yaml')
  writeFileSync(file, FORMAT_1)
  writeFileSync(`${file}.format-1`, 'precious')
  const { exit, stderr } = await crm(['connectors', 'check', file], env)
  expect([exit, stderr]).toEqual([11, expect.stringContaining(`${file}.format-1 exists`)])
  expect([readFileSync(file, 'utf8'), readFileSync(`${file}.format-1`, 'utf8')]).toEqual([FORMAT_1, 'precious'])
})

test('a file of format 2 is read, and one quotation mark that is missing is one mistake', async () => {
  const env = emptyHome()
  const file = join(env.HOME, 'mine.yaml')
  writeFileSync(file, 'connector: 2\nname: mine\nobjects:\n  contacts: { verbs: { list: { paging: none } } }\n')
  const read = await crm(['connectors', 'check', file], env)
  expect(read).toMatchObject({ exit: 0, stderr: expect.stringContaining('is the connector mine, without mistakes') })
  writeFileSync(file, "connector: 2\nname: mine\nobjects:\n  contacts: { path: '/people }\n  deals: { path: /d }\n")
  const { exit, stderr } = await crm(['connectors', 'check', file], env)
  expect([exit, stderr.match(/mine\.yaml:\d+:\d+:/g)?.length]).toEqual([2, 1])
})

test('a password in an address of a file is not repeated', async () => {
  const file = join(tempFolder(), 'own.yaml')
  for (const password of ['sekret', 'se@kret', 'se/kret']) {
    writeFileSync(file, `connector: 2\nname: own\norigin: https://u:${password}@x.example\nobjects: {}\n`)
    const { exit, stderr } = await crm(['connectors', 'check', file], emptyHome())
    expect([exit, stderr]).toEqual([2, expect.stringContaining('"https://***@x.example", expected scheme and host')])
  }
})

test.each([
  'https://u:sekret@x.example:99999',
  'ftp://u:sekret@x.example',
  'u:sekret@x.example',
  'http://u:sekret@x y',
])('a password in the address %s is not repeated', async (address) => {
  const env = emptyHome({ CRM_BASE_URL: address, CRM_API_KEY: 'k_0123456789' })
  for (const argv of [
    ['contacts', 'list'],
    ['auth', 'login', '--base-url', address],
    ['connectors', 'create', '--probe', address],
  ]) {
    const { exit, stdout, stderr } = await crm(argv, env)
    expect([exit, stdout + stderr]).toEqual([2, expect.not.stringContaining('sekret')])
  }
})
