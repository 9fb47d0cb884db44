import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attemptText, NOT_FORWARDED } from '../../../src/webhooks/log/attempt.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { type Handler, startApp } from '../../webhooks/app.ts'
import { sampleEvent } from '../../webhooks/sample-event.ts'
import { newSecret, signed } from '../../webhooks/signed.ts'
import { attemptAt, homeWith } from './kept-events.ts'
import { listening } from './listening.ts'

async function withApp(handle?: Handler) {
  const home = emptyHome()
  const secret = newSecret()
  const file = join(tempFolder(), 'secret')
  writeFileSync(file, `${secret}\n`)
  const app = await startApp(handle)
  const listen = (...more: string[]) =>
    listening(['--port', '0', '--secret-file', file, '--forward', app.url, ...more], home)
  const deliver = async (url: string, id = 'evt_1') =>
    (await fetch(url, { method: 'POST', ...signed(secret, '{}', { id }) })).status
  return { home, app, listen, deliver, secretFlag: ['--secret-file', file] }
}

test.each(['forward', 'now'])(
  'an event that the app took is not forwarded again after a restart, with --ack %s, except with --forward-duplicates',
  async (ack) => {
    const { app, listen, deliver } = await withApp()
    const first = await listen('--ack', ack)
    expect(await deliver(first.url)).toBeLessThan(300)
    await app.has(1)
    await first.end()
    const second = await listen('--ack', ack)
    expect(await deliver(second.url)).toBe(204)
    expect(await deliver(second.url, 'evt_2')).toBeLessThan(300)
    await app.has(2)
    await second.end()
    expect(app.requests.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2'])
    const third = await listen('--forward-duplicates')
    expect(await deliver(third.url)).toBe(200)
    expect(app.requests).toHaveLength(3)
  },
)

test('an event that a replay brought to the app is not forwarded again by the listener that still runs', async () => {
  let isDown = true
  const { home, app, listen, deliver, secretFlag } = await withApp((response) =>
    response.writeHead(isDown ? 500 : 200).end(),
  )
  const { url } = await listen()
  expect(await deliver(url)).toBe(500)
  expect(await deliver(url)).toBe(500)
  isDown = false
  await crmPrints(['webhooks', 'replay', '--failed', '--to', app.url, ...secretFlag], home)
  expect(app.requests).toHaveLength(3)
  expect(await deliver(url)).toBe(204)
  expect(app.requests).toHaveLength(3)
})

test('the log decides by target: an app that did not take the event gets it when the sender repeats it', async () => {
  const { app, listen, deliver } = await withApp()
  const other = await startApp((response, _, index) => response.writeHead(index === 0 ? 500 : 200).end())
  const first = await listen('--forward', other.url)
  expect(await deliver(first.url)).toBe(500)
  await first.end()
  const second = await listen('--forward', other.url)
  expect(await deliver(second.url)).toBeLessThan(300)
  expect([app.requests.length, other.requests.length]).toEqual([1, 2])
})

/** Appends the line of a listener that acknowledged the event for the app, and was killed. */
function queue(folder: string, event: ReturnType<typeof sampleEvent>, target: string): void {
  const text = attemptText(attemptAt(event, { target, attempt: 0, status: undefined, failure: NOT_FORWARDED }), 'run-1')
  const { owner, ...line } = JSON.parse(text)
  const [file = ''] = readdirSync(folder)
  // Neither a process of this machine nor of this boot.
  appendFileSync(join(folder, file), `${JSON.stringify({ ...line, owner: { ...owner, pid: 2 ** 22 + 1 } })}\n`)
}

test('what was acknowledged and never forwarded is failed, and the next listener names the command that forwards it', async () => {
  const { app, secretFlag } = await withApp()
  const events = ['evt_a', 'evt_b', 'evt_c'].map((id) => sampleEvent(id))
  const [a, b] = events as [(typeof events)[0], (typeof events)[0]]
  const { home, folder } = await homeWith(events)
  for (const event of [a, b]) queue(folder, event, app.url)
  const failed = () => crmPrints(['webhooks', 'events', 'list', '--failed', '-o', 'id'], home)
  expect(await failed()).toBe('evt_b\nevt_a\n')
  const { end } = await listening(['--port', '0', ...secretFlag, '--forward', app.url], home)
  const { stderr } = await end()
  expect(app.requests).toEqual([])
  const [, offer = ''] = /^2 events were acknowledged before and never forwarded; .*: crm (.*)$/m.exec(stderr) ?? []
  expect(offer.split(' ').slice(0, 4)).toEqual(['webhooks', 'replay', '--failed', '--since'])
  expect(await crm(offer.split(' '), home)).toMatchObject({ exit: 0 })
  expect(app.requests.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_a', 'evt_b'])
  expect(await failed()).toBe('')
  const again = await listening(['--port', '0', ...secretFlag, '--forward', app.url], home)
  expect((await again.end()).stderr).not.toContain('never forwarded')
})

test('an event in the queue of a listener that runs is neither failed nor offered, and is taken once', async () => {
  const answers: (() => void)[] = []
  const { home, app, listen, deliver } = await withApp((response) => void answers.push(() => response.end('ok')))
  const { url } = await listen('--ack', 'now')
  expect(await deliver(url)).toBe(204)
  await app.has(1)
  expect(await crmPrints(['webhooks', 'events', 'list', '--failed', '-o', 'id'], home)).toBe('')
  const waiting = JSON.parse(await crmPrints(['webhooks', 'events', 'show', 'evt_1', '-o', 'json'], home))
  expect(waiting).toMatchObject({ outcome: null, attempts: [{ attempt: 0, failure: NOT_FORWARDED }] })
  const other = await listen()
  expect((await other.end()).stderr).not.toContain('never forwarded')
  for (const answer of answers) answer()
  const list = ['webhooks', 'events', 'list', '--where', '.outcome == "done"', '-o', 'id']
  await expect.poll(() => crmPrints(list, home)).toBe('evt_1\n')
})
