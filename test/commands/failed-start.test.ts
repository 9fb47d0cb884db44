import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { startService } from '../harness/service.ts'

/** A port that somebody else has. */
async function takenPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return String(typeof address === 'object' && address?.port)
}

function fileOf(content: string): string {
  const file = join(tempFolder(), 'file')
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

test.each([
  ['a port that is taken', async () => ['--port', await takenPort()], 13, 'the port is in use'],
  ['a host that is not here', () => ['--host', '192.0.2.1', '--insecure-http'], 13, 'this machine has no such address'],
  ['pipelines that cannot be used', () => ['--pipelines', fileOf('[1]')], 2, 'pipelines file'],
  [
    'a certificate that is none',
    () => ['--tls-cert', fileOf('x'), '--tls-key', fileOf('x')],
    2,
    'cannot use the TLS certificate or key',
  ],
  ['a key file that is not there', () => ['--key-file', '/nowhere/key'], 2, 'cannot read --key-file'],
  ['a key that is none', () => ['--key-file', fileOf('not a key')], 2, 'the key contains characters'],
])('%s ends crm serve before it makes a database', async (_, args, exit, message) => {
  const folder = tempFolder()
  const flags = await args()
  const port = flags.includes('--port') ? [] : ['--port', '0']
  const ended = await crm(['serve', '--database', join(folder, 'crm.db'), ...port, ...flags], emptyHome())
  expect(ended).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) })
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['random bytes', (file: string) => writeFileSync(file, 'x'.repeat(5000)), 'is not a database'],
  [
    'a database of another program',
    (file: string) => new DatabaseSync(file).exec('CREATE TABLE t (a)'),
    'belongs to another program',
  ],
])('crm serve on %s is exit 13 with the reason, and leaves it unchanged', async (_, fill, message) => {
  const file = join(tempFolder(), 'crm.db')
  fill(file)
  const before = readFileSync(file)
  const ended = await crm(['serve', '--port', '0', '--database', file], emptyHome())
  expect(ended).toMatchObject({ exit: 13, stderr: expect.stringContaining(`database ${file} ${message}`) })
  expect(readFileSync(file)).toEqual(before)
})

test('crm serve on a database that was cut off is exit 13, and says that it is damaged', async () => {
  const file = join(tempFolder(), 'crm.db')
  const service = await startService(['--database', file])
  await make(service, '/v1/contacts', [{ name: 'x'.repeat(60_000) }])
  await service.stop()
  truncateSync(file, 60_000)
  const ended = await crm(['serve', '--port', '0', '--database', file], emptyHome())
  expect(ended).toMatchObject({ exit: 13, stderr: expect.stringContaining(`database ${file} is damaged`) })
})

test('a file that is not a database stays unchanged', async () => {
  const file = join(tempFolder(), 'crm.db')
  const letter = 'this is a letter to a friend, and longer than the header of a database is\n'.repeat(9)
  writeFileSync(file, letter)
  const refusal = { exit: 13, code: 'machine', what: new RegExp(`${file}.*not a database`), next: /--database/ }
  await expectRefusal({ args: ['serve', '--database', file, '--port', '0'], env: emptyHome() }, refusal)
  await expectRefusal({ args: ['serve', 'keys', 'list', '--database', file], env: emptyHome() }, refusal)
  expect(readFileSync(file, 'utf8')).toBe(letter)
})

test('a folder in place of a database', async () => {
  const folder = join(tempFolder(), 'crm.db')
  mkdirSync(folder)
  const refusal = { exit: 13, code: 'machine', what: new RegExp(folder), next: /./ }
  await expectRefusal({ args: ['serve', '--database', folder, '--port', '0'], env: emptyHome() }, refusal)
})

test('keys of a missing database', async () => {
  const file = join(tempFolder(), 'none.db')
  const refusal = { exit: 13, code: 'machine', what: new RegExp(`no database ${file}`), next: /crm serve/ }
  await expectRefusal({ args: ['serve', 'keys', 'list', '--database', file], env: emptyHome() }, refusal)
})
