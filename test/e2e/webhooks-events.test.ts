import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome } from '../harness/home.ts'
import { serve } from '../harness/service.ts'
import { startApp } from '../webhooks/app.ts'
import { startCrm } from './crm.ts'
import { listen, newSecretFile, send } from './listening.ts'

const event = (name: string, more: object = {}) => ({
  type: 'contact.created',
  timestamp: '2026-01-01T00:00:00Z',
  data: { id: `con_${name}`, name, ...more },
})

/** A home whose log holds three events, the second of them twice. */
async function homeWithEvents() {
  const home = emptyHome()
  const { secret, args } = newSecretFile()
  const { url, stop } = await listen([...args, '--port', '0', '--path', '/hook'], home)
  for (const name of ['a', 'b', 'b', 'c']) await send(`${url}?q=1`, secret, event(name), `evt_${name}`)
  return { home, secret, args, stop }
}

test('kept events are listed newest first while a listener runs, and narrowed like every list', async () => {
  const { home, stop } = await homeWithEvents()
  const list = (...more: string[]) => crmPrints(['webhooks', 'events', 'list', ...more], home)
  expect(await list('-o', 'id')).toBe('evt_c\nevt_b\nevt_b\nevt_a\n')
  await stop()
  expect(await list('-o', 'id', '--limit', '2')).toBe('evt_c\nevt_b\n')
  expect(await list('-o', 'id', '--where', '.duplicate')).toBe('evt_b\n')
  expect(await list('-o', 'id', '--events', 'deal.*')).toBe('')
  expect(await list('-o', 'id', '--since', '2030-01-01')).toBe('')
  expect(await list('-o', 'id', '--since', '1h', '--where', '.body.data.name == "a"')).toBe('evt_a\n')
  expect(await list('--fields', 'id,body.data.name', '-o', 'csv', '--limit', '1')).toBe(
    'id,body.data.name\r\nevt_c,c\r\n',
  )
  const more = await crm(['webhooks', 'events', 'list', '-o', 'id', '--limit', '2'], home)
  expect(more.stderr).toMatch(/^The first 2; there are more: .*--limit 4\n$/)
})

test('-o id omits an event without an id, reports it, and continues', async () => {
  const home = emptyHome()
  const { url, stop } = await listen(['--insecure-skip-verify', '--port', '0'], home)
  for (const id of ['evt_a', 'evt\u0007b', undefined, 'evt_c']) {
    const body = JSON.stringify({ type: 'contact.created', id, data: {} })
    expect((await fetch(url, { method: 'POST', body })).status).toBe(204)
  }
  await stop()
  expect(await crm(['webhooks', 'events', 'list', '-o', 'id'], home)).toEqual({
    exit: 0,
    stdout: 'evt_c\nevt_a\n',
    stderr: 'Left out: 2 without an id that fits on one line; -o jsonl shows them.\n',
  })
})

test('names that no event of crm serve has are doubted, as another sender may have them', async () => {
  const { home, stop } = await homeWithEvents()
  await stop()
  for (const verb of [
    ['events', 'list'],
    ['events', 'export'],
    ['replay', '--since', '1h'],
  ]) {
    const { exit, stderr } = await crm(['webhooks', ...verb, '--events', 'contct.*'], home)
    expect(exit).toBe(0)
    expect(stderr).toContain('contct.* matches no event of crm serve: did you mean contact.*?')
  }
})

test('an address that is none is refused under the name that was typed', async () => {
  const run = await crm(['webhooks', 'replay', '--since', '1h', '--to', 'ftp://x'], emptyHome())
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringMatching(/^crm: --to "ftp:\/\/x" is not an address\n/) })
})

test('an event is shown with its headers and its address; a missing one is 6', async () => {
  const { home } = await homeWithEvents()
  const shown = JSON.parse(await crmPrints(['webhooks', 'events', 'show', 'evt_a', '-o', 'json'], home))
  expect(shown).toMatchObject({ id: 'evt_a', verified: true, subscription_id: null, body: event('a') })
  expect(shown.url).toMatch(/\/hook\?q=1$/)
  expect(shown.headers).toContainEqual(['webhook-id', 'evt_a'])
  const none = await crm(['webhooks', 'events', 'show', 'evt_x'], home)
  expect(none).toMatchObject({ exit: 6, stderr: expect.stringContaining('crm webhooks events list') })
})

test('an export is the log, oldest first, and an empty log is no failure', async () => {
  const { home } = await homeWithEvents()
  const lines = (await crmPrints(['webhooks', 'events', 'export'], home)).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(['evt_a', 'evt_b', 'evt_b', 'evt_c'])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ v: 1, body_text: JSON.stringify(event('a')) })
  const some = await crmPrints(['webhooks', 'events', 'export', '--where', '.id == "evt_c"'], home)
  expect(some).toBe(`${lines[3]}\n`)
  const empty = await crm(['webhooks', 'events', 'list', '-o', 'json'], emptyHome())
  expect(empty).toEqual({ exit: 0, stdout: '[]\n', stderr: 'No events.\n' })
})

test('a replay is signed now, under its old id, and verifies independently; each id is sent once', async () => {
  const { Webhook } = await import('standardwebhooks')
  const { home, secret, args, stop } = await homeWithEvents()
  await stop()
  const app = await startApp()
  const run = await crm(['webhooks', 'replay', '--since', '1h', '--to', app.url, '-o', 'jsonl', ...args], home)
  expect(run).toMatchObject({ exit: 0, stderr: '' })
  expect(app.requests.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(['evt_a', 'evt_b', 'evt_c'])
  for (const { url, body, headers } of app.requests) {
    expect(url).toBe('/hook?q=1')
    expect(new Webhook(secret).verify(body.toString(), headers as Record<string, string>)).toMatchObject({ data: {} })
  }
  const lines = run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ type }) => type === 'forwarded')).toHaveLength(3)
})

test('the secret of a kept subscription signs a replay, and --original sends the received request', async () => {
  const home = emptyHome()
  const service = await serve(['--database', await memoryDatabase()], home)
  const { next, stop } = await listen(['--port', String(await freePort())], home)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada'], home)
  const { id } = await next()
  await stop()
  await service.stop()
  const app = await startApp()
  expect(await crm(['webhooks', 'replay', String(id), '--to', app.url], home)).toMatchObject({ exit: 0 })
  expect(await crm(['webhooks', 'replay', '-', '--to', app.url, '--original'], home, `${id}\n`)).toMatchObject({
    exit: 0,
  })
  const [signed, original] = app.requests
  expect(signed?.headers['webhook-signature']).toMatch(/^v1,/)
  expect(original?.body).toEqual(signed?.body)
  const shown = JSON.parse(await crmPrints(['webhooks', 'events', 'show', String(id), '-o', 'json'], home))
  expect(shown.headers).toContainEqual(['webhook-signature', original?.headers['webhook-signature']])
})

test('a replay that is not accepted fails: 9 without an answer, 3 when the app refuses; without --to it is printed', async () => {
  const { home, args, stop } = await homeWithEvents()
  await stop()
  const unanswered = await crm(['webhooks', 'replay', 'evt_a', '--to', String(await freePort()), ...args], home)
  expect(unanswered).toMatchObject({
    exit: 9,
    stderr: expect.stringMatching(/^crm: evt_a was not accepted: .*nothing listens/),
  })
  const app = await startApp((response, _, index) => response.writeHead(index ? 200 : 500).end())
  const refused = await crm(['webhooks', 'replay', 'evt_a', 'evt_b', '--to', app.url, ...args], home)
  expect(refused).toMatchObject({ exit: 3, stderr: expect.stringContaining('answered 500') })
  const printed = await crm(['webhooks', 'replay', 'evt_a', '-o', 'jsonl'], home)
  expect(printed).toMatchObject({ exit: 0, stderr: 'Printed only; to send them: --to URL\n' })
  expect(JSON.parse(printed.stdout)).toMatchObject({ type: 'event', id: 'evt_a' })
  const unknown = await crm(['webhooks', 'replay', 'evt_a', '--to', app.url], home)
  expect(unknown).toMatchObject({ exit: 2, stderr: expect.stringMatching(/--secret-file FILE.*--original/) })
  expect(await crm(['webhooks', 'replay'], home)).toMatchObject({ exit: 2 })
})

test('events that cannot be signed again are named, and the others are sent: 3; 2 when none can be signed', async () => {
  const home = emptyHome()
  const { secret, args } = newSecretFile()
  const foreign = await listen([...args, '--port', '0'], home)
  const port = String(await freePort())
  for (const id of ['evt_a', 'evt_b']) await send(foreign.url, secret, event(id), id)
  const app = await startApp()
  const replay = ['webhooks', 'replay', '--since', '1h', '--to', app.url]
  const none = await crm(replay, home)
  expect(none).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringMatching(/^crm: 2 of 2 were not sent/) })
  expect(app.requests).toEqual([])

  await serve(['--database', await memoryDatabase()], home)
  const own = await listen(['--port', port], home)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada'], home)
  const { id } = await own.next()
  for (const later of ['evt_c', 'evt_d']) await send(foreign.url, secret, event(later), later)
  const some = await crm(replay, home)
  expect(some).toMatchObject({
    exit: 3,
    stderr: expect.stringMatching(
      /^crm: 4 of 5 were not sent \(evt_a, evt_b, evt_c, …\): evt_a cannot be signed again: .*\n.*--secret-file FILE.*--original/,
    ),
  })
  expect(app.requests.map(({ headers }) => headers['webhook-id'])).toEqual([id])
})

test('a member that no kept event has is exit 2 after the rows, and a replay then sends nothing', async () => {
  const { home, args, stop } = await homeWithEvents()
  await stop()
  const nested = ['--where', '.body.data.nmae == null']
  const list = ['webhooks', 'events', 'list', '-o', 'id']
  const said = expect.stringMatching(
    /^crm: --where: none of the events .* body\.data\.nmae\n {2}did you mean body\.data\.name\?/,
  )
  expect(await crm([...list, ...nested], home)).toEqual({
    exit: 2,
    stdout: 'evt_c\nevt_b\nevt_b\nevt_a\n',
    stderr: said,
  })
  expect(await crm(['webhooks', 'events', 'export', ...nested], home)).toMatchObject({ exit: 2, stderr: said })
  const app = await startApp()
  const replay = ['webhooks', 'replay', '--since', '1h', '--to', app.url, ...args, ...nested]
  expect(await crm(replay, home)).toMatchObject({ exit: 2, stdout: '', stderr: said })
  expect(app.requests).toHaveLength(0)
  // Deals have amounts, and events of deals may come.
  for (const where of [
    '.body.data.amount == 1',
    'has("nosuch") and .nosuch',
    '.body.previous.stage == "Lead"',
    '.body_text == 1',
  ]) {
    expect(await crm([...list, '--where', where], home), where).toMatchObject({ exit: 0, stdout: '' })
  }
})

test('a member that no event can have is exit 2 before anything is read or received', async () => {
  const home = emptyHome()
  for (const line of [
    'webhooks events list',
    'webhooks events export',
    'webhooks replay --since 1h',
    'listen',
    'webhooks wait *',
  ]) {
    const port = line === 'listen' || line.includes('wait') ? ['--insecure-skip-verify', '--port', '0'] : []
    expect(await crm([...line.split(' '), ...port, '--where', '.email == null'], home), line).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringMatching(/an event has no member email, but type, .*\n {2}did you mean body\.data\.email\?/),
    })
  }
})

test('a listener says after twenty events, and at its end, that none has a member of --where', async () => {
  const { secret, args } = newSecretFile()
  const { url, stop } = await listen([...args, '--port', '0', '--where', '.body.data.nmae == "x"'], emptyHome())
  for (let at = 0; at < 21; at++) await send(url, secret, event('a'), `evt_${at}`)
  const { exit, stderr } = await stop()
  expect(exit).toBe(0)
  expect(stderr.match(/none of the events that were read has the member body\.data\.nmae: did you mean/g)).toHaveLength(
    2,
  )
})

test('an awaited event is printed with a misspelt member, and is exit 2', async () => {
  const { secret, args } = newSecretFile()
  const port = String(await freePort())
  const words = ['webhooks', 'wait', '*', ...args, '--port', port, '-o', 'id', '--where', '.body.data.nmae == null']
  const child = startCrm(words, emptyHome())
  let printed = ''
  child.stdout.on('data', (text) => {
    printed += text
  })
  await expect.poll(() => send(`http://127.0.0.1:${port}/`, secret, event('a'), 'evt_1').catch(() => 0)).toBe(204)
  expect(await child.done).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('did you mean body.data.name?'),
  })
  expect(printed).toBe('evt_1\n')
})
