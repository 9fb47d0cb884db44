import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeSelfSignedCertificate } from '../api/self-signed-certificate.ts'
import { memoryDatabase } from '../harness/database.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { startCrm } from './crm.ts'

async function serving(args: readonly string[]) {
  const child = startCrm(
    ['serve', '--database', await memoryDatabase(), '--port', '0', '--ready-json', ...args],
    emptyHome(),
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (line) => (said += line))
  const ready = await new Promise<string>((resolve) => child.stdout.once('data', (bytes) => resolve(String(bytes))))
  return { child, url: JSON.parse(ready).url as string, said: () => said }
}

test('SIGTERM answers for the time of --drain with 503 at /readyz, and is exit 0', async () => {
  const { child, url } = await serving(['--drain', '600ms'])
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503))
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const { exit, stderr } = await child.done
  expect(exit).toBe(0)
  expect(stderr).toMatch(/Draining for 600ms: \/readyz is 503\.\ncrm serve has stopped\.\n$/)
})

test('a second SIGTERM ends the service at once', async () => {
  const { child, url } = await serving(['--drain', '60s'])
  child.kill('SIGTERM')
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503))
  child.kill('SIGTERM')
  expect((await child.done).exit).toBe(143)
})

/** The name in the certificate; a request is sent, too. */
async function certificateOf(url: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  const name = await new Promise<string>((resolve, reject) => {
    socket.once('secureConnect', () => resolve(String(socket.getPeerCertificate().subject.CN)))
    socket.once('error', reject)
  })
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await text(socket)
  return name
}

test('SIGHUP takes a new certificate and a new log file, and stops nothing', async () => {
  const folder = tempFolder()
  const [cert, key, log] = ['cert.pem', 'key.pem', 'crm.log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const keep = (name: string) => {
    const made = makeSelfSignedCertificate(name)
    writeFileSync(cert, made.cert)
    writeFileSync(key, made.key)
  }
  keep('before')
  const { child, url, said } = await serving([
    ...['--tls-cert', cert, '--tls-key', key],
    ...['--log', 'text', '--log-file', log],
  ])
  expect(await certificateOf(url)).toBe('before')
  keep('after')
  renameSync(log, `${log}.1`)
  child.kill('SIGHUP')
  await expect.poll(said).toContain('Reloaded: the log and the certificate.')
  expect(await certificateOf(url)).toBe('after')
  writeFileSync(cert, 'no certificate')
  child.kill('SIGHUP')
  await vi.waitFor(() => expect(said()).toContain('Warning: SIGHUP: cannot use the TLS certificate or key'))
  expect(await certificateOf(url)).toBe('after')
  await vi.waitFor(() => expect(readFileSync(log, 'utf8').match(/path=\/healthz status=200/g)).toHaveLength(2))
  child.kill('SIGTERM')
  expect((await child.done).exit).toBe(0)
})

test('SIGHUP during the start stops nothing, and is obeyed when the service is ready', async () => {
  const log = join(tempFolder(), 'crm.log')
  const flags = ['--port', '0', '--ready-json', '--log', 'text', '--log-file', log, '--seed', '-']
  const child = startCrm(['serve', '--database', await memoryDatabase(), ...flags], emptyHome())
  onTestFinished(() => void child.kill('SIGKILL'))
  // Opened before it waits for the records.
  await expect.poll(() => existsSync(log)).toBe(true)
  renameSync(log, `${log}.1`)
  child.kill('SIGHUP')
  child.stdin.end('contacts: [{ name: Ada }]')
  await once(child.stdout, 'data')
  await expect.poll(() => existsSync(log)).toBe(true)
  child.kill('SIGTERM')
  expect(await child.done).toMatchObject({ exit: 0, stderr: expect.stringContaining('Reloaded: the log.') })
})

test('--database refuses the address of another database, and does not repeat it', async () => {
  const child = startCrm(['serve', '--database', 'mysql://crm:secret@db/crm'], emptyHome())
  const { exit, stderr } = await child.done
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr:
      'crm: --database is an address with mysql:, expected an SQLite file, postgres:// or :memory:\n  crm serve --database crm.db; for a file whose name starts so, write ./ before it\n',
  })
})
