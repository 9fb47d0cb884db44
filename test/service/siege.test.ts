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

/** 500 contacts of 60 KB. */
async function fillLarge(service: Awaited<ReturnType<typeof serveProcess>>): Promise<void> {
  for (let at = 0; at < 500; at += 50) {
    const body = { name: 'Ada', note: 'x'.repeat(60_000) }
    const made = Array.from({ length: 50 }, () => ask(service, { method: 'POST', path: '/v1/contacts', body }))
    for (const { status } of await Promise.all(made)) expect(status).toBe(201)
  }
}

/** The longest time in which health was answered, until `done`. */
async function longestHealthMs(service: Awaited<ReturnType<typeof serveProcess>>, done: Promise<unknown>) {
  let isDone = false
  void done.finally(() => {
    isDone = true
  })
  let longestMs = 0
  do {
    const startMs = performance.now()
    expect((await ask(service, { path: '/healthz' })).status).toBe(200)
    longestMs = Math.max(longestMs, performance.now() - startMs)
  } while (!isDone)
  return longestMs
}

describe.skipIf(!HAS_PROC)('large lists take neither the memory nor the time of others (skipped without /proc)', () => {
  test('sixty clients that do not read lists of 60 KB records', async () => {
    const service = await serveProcess()
    await fillLarge(service)
    const list = `GET /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`
    const sockets = await Promise.all(Array.from({ length: 60 }, () => opened(service.url)))
    const first = sockets.map((socket) => {
      socket.pause()
      socket.write(list.repeat(20))
      return once(socket, 'readable')
    })
    expect(await longestHealthMs(service, Promise.all(first))).toBeLessThan(1000)
    // 503 with Retry-After, until the buffers of the connections are full.
    await expect.poll(async () => (await ask(service, { path: '/v1/contacts?limit=1' })).status).toBe(200)
    expect(service.peakBytes() / MEBIBYTE).toBeLessThan(500)
  })

  test('two hundred lists of 500 records by a client that leaves', async () => {
    const service = await serveProcess()
    await fillLarge(service)
    const list = `GET /v1/contacts?limit=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`
    const socket = await opened(service.url)
    socket.pause()
    socket.write(list.repeat(200))
    const left = once(socket, 'readable').then(() => socket.destroy())
    expect(await longestHealthMs(service, left)).toBeLessThan(1000)
    expect(await longestHealthMs(service, Promise.resolve())).toBeLessThan(1000)
    expect((await ask(service, { method: 'POST', path: '/v1/contacts', body: { name: 'Ada' } })).status).toBe(201)
    expect(service.peakBytes() / MEBIBYTE).toBeLessThan(400)
  })

  test('three hundred connections that list 500 records at once', async () => {
    const service = await serveProcess()
    await fillLarge(service)
    const list = `GET /v1/contacts?limit=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nConnection: close\r\n\r\n`
    const sockets = await Promise.all(Array.from({ length: 300 }, () => opened(service.url)))
    const answers = sockets.map((socket) => {
      socket.write(list)
      return text(socket)
    })
    // Answered all the while; in no stated time, because this process reads 300 MB and is late itself.
    await longestHealthMs(service, Promise.all(answers))
    const statuses = (await Promise.all(answers)).map((answer) => answer.slice(0, 12))
    expect(statuses.filter((status) => !/^HTTP\/1\.1 (200|503)$/.test(status))).toEqual([])
    expect(service.peakBytes() / MEBIBYTE).toBeLessThan(600)
  })
})
