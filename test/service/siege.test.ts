import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCrm } from '../e2e/crm.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { ask } from '../harness/records.ts'
import { newKey } from '../harness/service.ts'
import { lastBody, openSocket } from './raw-request.ts'

const MEBIBYTE = 1024 * 1024
const HAS_PROC = existsSync('/proc/self/status')
/** What one process may have open here; each connection costs one file in the service and one in the test. */
const FILES = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout) || Infinity
const CONNECTIONS = Math.max(100, Math.min(5000, FILES - 500))

/** `crm serve` as a process whose memory can be read. */
async function serveProcess(env: Env = emptyHome()) {
  const key = newKey()
  const [keyFile, database] = [join(tempFolder(), 'key'), join(tempFolder(), 'crm.db')]
  writeFileSync(keyFile, key, { mode: 0o600 })
  const where = ['--port', '0', '--database', database, '--key-file', keyFile, '--rate-limit', 'none']
  const child = startCrm(['serve', '--ready-json', ...where], env)
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url } = JSON.parse(line) as { url: string }
  /** The peak memory. */
  const peakBytes = () => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }
  return { url, key, peakBytes }
}

async function opened(url: string): Promise<Socket> {
  const socket = openSocket(url)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Sends 100 MB and ignores answers until then, as some clients do. */
async function sendBlindly(url: string, head: string, frame: (chunk: Buffer) => Buffer) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const chunk = frame(Buffer.alloc(MEBIBYTE, 'x'))
  const [received] = await Promise.all([
    text(socket),
    pipeline(function* () {
      yield Buffer.from(head)
      for (let sent = 0; sent < 100; sent++) yield chunk
    }, socket),
  ])
  return received
}

test(`${CONNECTIONS} idle connections do not delay others (5000, or the limit of open files)`, async () => {
  const service = await serveProcess()
  const create = () => ask(service, { method: 'POST', path: '/v1/contacts', body: { name: 'Ada' } })
  await create()
  const before = HAS_PROC ? service.peakBytes() : 0
  const sockets: Socket[] = []
  while (sockets.length < CONNECTIONS) {
    const batch = Array.from({ length: Math.min(250, CONNECTIONS - sockets.length) }, () => opened(service.url))
    sockets.push(...(await Promise.all(batch)))
  }
  // Every second one has had an answer: those may stay for longer than those that never spoke.
  const spoken = sockets.filter((_, at) => at % 2 === 0)
  const answers = spoken.map((socket) => once(socket, 'data'))
  for (const socket of spoken) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  for (const [data] of await Promise.all(answers)) expect(String(data)).toMatch(/^HTTP\/1\.1 200 /)

  const startMs = performance.now()
  expect((await create()).status).toBe(201)
  expect((await ask(service, { path: '/v1/contacts' })).status).toBe(200)
  expect(performance.now() - startMs).toBeLessThan(1000)
  expect(spoken.filter(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([])
  if (HAS_PROC) expect((service.peakBytes() - before) / MEBIBYTE).toBeLessThan(150)
})

describe.skipIf(!HAS_PROC)(
  'a body of 100 MB is 413, also for clients that keep writing, and memory stays bounded (skipped without /proc)',
  () => {
    const BODIES = [
      ['announced', `Content-Length: ${100 * MEBIBYTE}`, (chunk: Buffer) => chunk],
      [
        'in chunks',
        'Transfer-Encoding: chunked',
        (chunk: Buffer) => Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
      ],
    ] as const
    test.for(BODIES)('%s', async ([, header, frame]) => {
      const service = await serveProcess()
      const head = `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n`
      await ask(service, { method: 'POST', path: '/v1/contacts', body: { name: 'x'.repeat(60_000) } })
      const before = service.peakBytes()
      const requests = Array.from({ length: 5 }, () =>
        sendBlindly(service.url, `${head}Content-Type: application/json\r\n${header}\r\n\r\n`, frame),
      )
      for (const received of await Promise.all(requests)) {
        expect(received).toMatch(/^HTTP\/1\.1 413 /)
        expect(lastBody(received)).toMatchObject({ code: 'body_too_large' })
      }
      // What the runtime has not collected yet; it does not grow with what is sent.
      expect((service.peakBytes() - before) / MEBIBYTE).toBeLessThan(150)
      expect((await ask(service, { path: '/v1/contacts' })).body.data).toHaveLength(1)
    })
  },
)
