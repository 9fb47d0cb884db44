import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryDatabase } from '../harness/database.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { startCrm } from './crm.ts'

const PROGRAMS = ['python3', 'systemd-notify']
const MISSING = PROGRAMS.filter((program) => spawnSync(program, ['--version']).status !== 0)

/** What systemd does: each datagram is a line of JSON. Its first line says that the socket is there. */
const RECEIVER = `
import json, socket, sys
name = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind('\\0' + name[1:] if name.startswith('@') else name)
print('bound', flush=True)
while True: print(json.dumps(receiver.recv(4096).decode()), flush=True)
`

async function receiveAt(name: string): Promise<readonly string[]> {
  const child = spawn('python3', ['-c', RECEIVER, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  const received: string[] = []
  lines.on('line', (line) => {
    const message = JSON.parse(line) as string
    // That of systemd-notify itself: it waits until its messages were read.
    if (message !== 'BARRIER=1') received.push(message.trimEnd())
  })
  return received
}

async function serving(more: Record<string, string>) {
  const child = startCrm(['serve', '--database', await memoryDatabase(), '--port', '0'], emptyHome(more))
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe.skipIf(MISSING.length > 0)(`sd_notify (skipped without ${PROGRAMS.join(' and ')})`, () => {
  test.each([
    ['a path', () => join(tempFolder(), 'notify')],
    ['an abstract name', () => `@crm-${randomUUID()}`],
  ])('a service manager at %s hears of readiness, reload and stop, in this order', async (_, nameOf) => {
    const NOTIFY_SOCKET = nameOf()
    const received = await receiveAt(NOTIFY_SOCKET)
    const child = await serving({ NOTIFY_SOCKET })
    await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 20_000 })
    const ready = expect.stringMatching(/^READY=1\nSTATUS=Serving at http:\/\/127\.0\.0\.1:\d+$/)
    const beforeUs = process.hrtime.bigint() / 1000n
    child.kill('SIGHUP')
    await vi.waitFor(() => expect(received).toHaveLength(3), { timeout: 20_000 })
    const [, time = ''] = /^RELOADING=1\nMONOTONIC_USEC=(\d+)$/.exec(received[1] ?? '') ?? []
    expect(BigInt(time)).toBeGreaterThanOrEqual(beforeUs)
    expect(BigInt(time)).toBeLessThan(process.hrtime.bigint() / 1000n)
    child.kill('SIGTERM')
    const { exit, stderr } = await child.done
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining('Warning') })
    expect(received).toEqual([ready, received[1], ready, 'STOPPING=1\nSTATUS=Stopping'])
  })

  test('a socket that is not there is a warning, and the service goes on', async () => {
    const child = await serving({ NOTIFY_SOCKET: join(tempFolder(), 'nothing') })
    let said = ''
    child.stderr.on('data', (bytes) => (said += bytes))
    await vi.waitFor(() => expect(said).toContain('Warning: systemd-notify READY=1 ended with 1.'), { timeout: 20_000 })
    child.kill('SIGTERM')
    expect((await child.done).exit).toBe(0)
  })
})

test('without systemd-notify, NOTIFY_SOCKET is a warning that says so, and the service goes on', async () => {
  const child = await serving({ NOTIFY_SOCKET: '/run/nothing', PATH: tempFolder() })
  let said = ''
  child.stderr.on('data', (bytes) => (said += bytes))
  await vi.waitFor(() => expect(said).toContain('the program systemd-notify is not there; READY=1 is not sent.'), {
    timeout: 20_000,
  })
  child.kill('SIGTERM')
  expect((await child.done).exit).toBe(0)
})
