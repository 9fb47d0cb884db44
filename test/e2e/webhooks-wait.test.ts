import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome } from '../harness/home.ts'
import { serve } from '../harness/service.ts'
import { CRM, startCrm } from './crm.ts'
import { listen, newSecretFile, send } from './listening.ts'

const CREATE = `${process.execPath} ${CRM} contacts create --set name=Ada -o id`

async function homeWithService() {
  const home = emptyHome()
  await serve(['--database', ':memory:'], home)
  return { home, port: String(await freePort()) }
}

test('--run starts a command once events can come; the event is the only thing on stdout, and the exit is 0', async () => {
  const { home, port } = await homeWithService()
  const args = ['webhooks', 'wait', 'contact.created', '--port', port, '--run', CREATE, '-o', 'json']
  const { exit, stdout, stderr } = await crm(args, home)
  expect(exit).toBe(0)
  const event = JSON.parse(stdout)
  expect(event).toMatchObject({ event: 'contact.created', verified: true, body: { data: { name: 'Ada' } } })
  expect(stderr).toContain(`\n${event.record_id}\n`)
})

test('several are a list, and --jq and --where see what a line of listen holds', async () => {
  const { home, port } = await homeWithService()
  const script = ['a', 'b', 'c'].map((name) => `${CREATE} --set name=${name}`).join(' && ')
  const where = ['--where', '.body.data.name != "b"', '--jq', '[.[].body.data.name] | sort | join(",")']
  const args = ['webhooks', 'wait', '*', '--count', '2', '--port', port, ...where]
  const { exit, stdout } = await crm([...args, '--run', `sh -c "${script}"`], home)
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'a,c\n' })
})

test('an event that does not arrive in time is 12, names the events that did, and kills the command', async () => {
  const { home, port } = await homeWithService()
  const run = `sh -c "${CREATE}; sleep 77.5"`
  const args = ['webhooks', 'wait', 'deal.created,contact.created', '--where', '.event == "deal.created"']
  const { exit, stdout, stderr } = await crm([...args, '--port', port, '--timeout', '2s', '--run', run], home)
  expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' })
  expect(stderr).toMatch(/Received instead: contact\.created con_\w+ \(evt_\w+\); it does not match --where\n/)
  expect(stderr).toMatch(/not received within 2 s \(0 of 1\); other events received: 1, rejected requests: 0\n/)
  expect((await crm(['webhooks', 'events', 'list', '-o', 'id'], home)).stdout).toMatch(/^evt_\w+\n$/)
  const { spawnSync } = await import('node:child_process')
  expect(spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout).not.toContain('sleep 77.5')
})

test('a command that fails ends the wait at once with 12 and says so; one that fails afterwards is 3', async () => {
  const { home, port } = await homeWithService()
  const wait = ['webhooks', 'wait', 'contact.created', '--port', port, '--run']
  const before = await crm([...wait, 'sh -c "echo no >&2; exit 7"'], home)
  expect(before).toMatchObject({
    exit: 12,
    stdout: '',
    stderr: expect.stringContaining('(exit 7) before the events were received'),
  })
  expect(before.stderr).toContain('\nno\n')
  const after = await crm([...wait, `sh -c "${CREATE}; sleep 0.5; exit 7"`], home)
  expect(after).toMatchObject({ exit: 3, stderr: expect.stringContaining('the events were received, but') })
})

test('a --run without a program is refused before anything is subscribed', async () => {
  const { home, port } = await homeWithService()
  const none = await crm(['webhooks', 'wait', '*', '--port', port, '--run', '/nowhere/nix'], home)
  expect(none).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/^crm: cannot run \/nowhere\/nix: no such program\n/),
  })
  expect(await crmPrints(['webhooks', 'list', '-o', 'id'], home)).toBe('')
})

test('an event from before --run does not count, and is reported', async () => {
  const home = emptyHome()
  await serve(['--database', ':memory:', '--retry-schedule', '0,1s,3s'], home)
  const port = String(await freePort())
  await (await listen(['--port', port], home)).stop()
  await crmPrints(['contacts', 'create', '--set', 'name=OLD'], home)
  const wait = ['webhooks', 'wait', 'contact.*', '--port', port, '-o', 'jsonl', '--timeout', '6s']
  const before = await crm([...wait, '--run', 'sleep 5.5'], home)
  expect(before).toMatchObject({ exit: 12, stdout: '' })
  expect(before.stderr).toMatch(/Received instead: contact\.created con_\w+ \(evt_\w+\); it occurred before --run\n/)
  expect(before.stderr).toContain('(0 of 1); other events received: 1, rejected requests: 0')
})

test('of several events, those that arrived are named when others are missing', async () => {
  const { home, port } = await homeWithService()
  const args = ['webhooks', 'wait', 'contact.*', '--count', '2', '--timeout', '3s', '--port', port, '--run', CREATE]
  const { exit, stderr } = await crm(args, home)
  expect(exit).toBe(12)
  expect(stderr).toMatch(/\nReceived: contact\.created con_\w+ \(evt_\w+\)\n/)
  expect(stderr).toContain('(1 of 2); nothing else was received\n')
})

test.each(['', '"a'])('--run %j is refused at once, and nothing is waited for', async (run) => {
  const startedAtMs = Date.now()
  const { exit, stderr } = await crm(['webhooks', 'wait', 'contact.created', '--run', run], emptyHome())
  expect(exit).toBe(2)
  expect(stderr).toMatch(/--run .* is not a command/)
  expect(Date.now() - startedAtMs).toBeLessThan(30_000)
})

test('rejected requests are reported if nothing else was received', async () => {
  const { args } = newSecretFile()
  const port = String(await freePort())
  const child = startCrm(['webhooks', 'wait', '*', '--timeout', '1s', ...args, '--port', port], emptyHome())
  child.stdout.resume()
  await expect.poll(() => send(`http://127.0.0.1:${port}/`, newSecretFile().secret, {}).catch(() => 0)).toBe(401)
  const { exit, stderr } = await child.done
  expect(exit).toBe(12)
  expect(stderr).toContain(
    'Rejected: signature_mismatch, signed with another secret, or the body was changed in transit\n',
  )
})

test('Ctrl-C is 130, and ends the command too', async () => {
  const { home, port } = await homeWithService()
  const child = startCrm(['webhooks', 'wait', '*', '--port', port, '--run', 'sh -c "echo begun; sleep 78.5"'], home)
  child.stdout.resume()
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  await expect.poll(() => said).toContain('begun')
  child.kill('SIGINT')
  expect(await child.done).toMatchObject({ exit: 130 })
})
