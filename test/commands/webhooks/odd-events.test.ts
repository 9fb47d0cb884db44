import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { sampleEvent } from '../../webhooks/sample-event.ts'
import { newSecret, signed } from '../../webhooks/signed.ts'
import { homeWith } from './kept-events.ts'
import { listening } from './listening.ts'

async function receiving(...more: readonly string[]) {
  const home = emptyHome()
  const secret = newSecret()
  const file = join(tempFolder(), 'secret')
  writeFileSync(file, `${secret}\n`)
  const { url, end } = await listening(['--port', '0', '--secret-file', file, ...more], home)
  const post = async (body: string, id: string) =>
    (await fetch(url, { method: 'POST', ...signed(secret, body, { id }) })).status
  return { home, post, end }
}

const deep = (levels: number, [open, close]: readonly [string, string]) =>
  `{"type":"contact.created","data":${open.repeat(levels)}1${close.repeat(levels)}}`

test.each([
  ['lists', '[', ']'],
  ['objects', '{"a":', '}'],
])('a listener with --where goes on behind deeply nested %s, and so do lists of the log', async (_, open, close) => {
  const { home, post, end } = await receiving('--where', '.body.data.id == "ok"')
  for (const levels of [130, 260, 490, 1000, 10_000, 90_000])
    expect(await post(deep(levels, [open, close]), `evt_${levels}`)).toBe(204)
  expect(await post('{"type":"contact.created","data":{"id":"ok"}}', 'evt_ok')).toBe(204)
  expect(await end()).toMatchObject({ exit: 0, stderr: expect.stringContaining('Events: 7') })
  const list = (...more: string[]) => crmPrints(['webhooks', 'events', 'list', ...more], home)
  expect(await list('--where', '.body.data.id == "ok"', '-o', 'id')).toBe('evt_ok\n')
  expect(await list('--jq', '.[].id')).toBe('evt_ok\nevt_90000\nevt_10000\nevt_1000\nevt_490\nevt_260\nevt_130\n')
  expect(JSON.parse(await list('-o', 'json'))).toHaveLength(7)
  expect(JSON.parse(await list('--where', '.event == "contact.created"', '-o', 'json'))).toHaveLength(7)
  await crmPrints(['webhooks', 'events', 'show', 'evt_90000', '-o', 'json'], home)
})

test('--max-body accepts a larger body, and refuses one that is over it', async () => {
  const { home, post } = await receiving('--max-body', '2MB')
  const body = (size: number) => JSON.stringify({ type: 'contact.created', data: { name: 'x'.repeat(size) } })
  expect(await post(body(1_900_000), 'evt_1')).toBe(204)
  expect(await post(body(2_000_001), 'evt_2')).toBe(413)
  expect(await crmPrints(['webhooks', 'events', 'list', '-o', 'id'], home)).toBe('evt_1\n')
})

test.each(['0MB', '5', '33MB', '1TB', 'x'])('--max-body %s is refused', async (size) => {
  const { exit, stderr } = await crm(['listen', '--max-body', size, '--insecure-skip-verify'], emptyHome())
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('Expected a size such as 500KB or 5MB') })
})

test('a list goes on behind bad lines of the log, and names them on stderr', async () => {
  const { home, folder } = await homeWith([sampleEvent('evt_a')])
  const path = join(folder, readdirSync(folder)[0] ?? '')
  const line = '{"v":1,"id":"evt_bad","event":"contact.created","received_at":"2026-'
  appendFileSync(path, `${line}\n\0\0\0\n{"v":1,"id":"\\x","event":null}\n[1]\n`)
  const { exit, stdout, stderr } = await crm(['webhooks', 'events', 'list', '-o', 'jsonl'], home)
  expect({
    exit,
    ids: stdout
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each).id),
  }).toEqual({ exit: 0, ids: ['evt_a'] })
  expect(stderr).toContain(`evt_bad in ${path}`)
  expect(stderr).toContain(`a line of 3 bytes in ${path}`)
  const listener = await listening(['--port', '0', '--insecure-skip-verify'], home)
  expect(await listener.end()).toMatchObject({ exit: 0 })
})
