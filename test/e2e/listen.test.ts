import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serve } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'
import { CRM, startCrm } from './crm.ts'
import { type Line, listen, newSecretFile, send } from './listening.ts'
import { partsIn } from './loaded-modules.ts'

const CREATED = { type: 'contact.created', timestamp: '2026-01-01T00:00:00Z', data: { id: 'con_1', name: 'Ada' } }

describe('events', () => {
  test('each is a line of jsonl: genuine, duplicate, rejected; Ctrl-C ends with the counts and 0', async () => {
    const { secret, args } = newSecretFile()
    const { url, ready, next, stop } = await listen([...args, '--port', '0'], emptyHome())
    expect(ready).toEqual({
      type: 'ready',
      url,
      verifies: true,
      subscription_id: null,
      public_url: null,
      log: expect.stringMatching(/\/\.local\/state\/crm\/events$/),
    })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)

    expect(await send(url, secret, CREATED)).toBe(204)
    const event = { type: 'event', id: 'evt_1', event: 'contact.created', record_id: 'con_1', verified: true }
    expect(await next()).toMatchObject({ ...event, duplicate: false, body: CREATED })
    expect(await send(url, secret, CREATED)).toBe(204)
    expect(await next()).toMatchObject({ ...event, duplicate: true })
    expect(await send(url, newSecretFile().secret, CREATED)).toBe(401)
    expect(await next()).toMatchObject({ type: 'rejected', reason: 'signature_mismatch', status: 401 })

    const { exit, stderr } = await stop('SIGINT')
    expect(exit).toBe(0)
    expect(stderr).toMatch(/crm listen is ready at .*\n.*Events: 2, duplicates: 1, rejected: 1\.\n$/)
    expect(stderr).not.toContain(secret)
  })

  test('SIGTERM is an end like Ctrl-C, and --quiet keeps stderr empty', async () => {
    const { args } = newSecretFile()
    const { stop } = await listen([...args, '--port', '0', '--quiet'], emptyHome())
    expect(await stop('SIGTERM')).toEqual({ exit: 0, stderr: '' })
  })

  test('--events shows the named events, and acknowledges the rest', async () => {
    const { secret, args } = newSecretFile()
    const { url, next, stop } = await listen([...args, '--port', '0', '--events', 'deal.*,contcat.*'], emptyHome())
    expect(await send(url, secret, CREATED, 'evt_1')).toBe(204)
    expect(await send(url, secret, { type: 'deal.created', data: {} }, 'evt_2')).toBe(204)
    expect(await next()).toMatchObject({ id: 'evt_2', event: 'deal.created', record_id: null })
    const { stderr } = await stop()
    expect(stderr).toContain('contcat.* matches no event of crm serve: did you mean contact.*?')
    expect(stderr).toContain('Events: 2, duplicates: 0, rejected: 0, not shown because of --events or --where: 1.')
  })

  test('--insecure-skip-verify needs no secret and no server, and marks every event', async () => {
    const { url, ready, next } = await listen(['--insecure-skip-verify', '--port', '0', '--path', '/a/b'], emptyHome())
    expect(ready).toMatchObject({ verifies: false, url: expect.stringMatching(/\/a\/b$/) })
    expect((await fetch(url, { method: 'POST', body: 'a=1' })).status).toBe(204)
    expect(await next()).toMatchObject({ verified: false, event: null, scheme: null, body_text: 'a=1' })
  })

  test('a table is its default, and the command is the same under webhooks', async () => {
    const { secret, args } = newSecretFile()
    const port = String(await freePort())
    const child = startCrm(['webhooks', 'listen', ...args, '--port', port], emptyHome())
    const [head] = await once(child.stdout.setEncoding('utf8'), 'data')
    expect(head).toMatch(/^TIME +EVENT +ID +SUMMARY\n$/)
    const event = { ...CREATED, data: { id: 'con_1', name: '\x1b[2J\u202e' } }
    const [[line]] = await Promise.all([once(child.stdout, 'data'), send(`http://127.0.0.1:${port}/`, secret, event)])
    expect(line).toMatch(/Z {2}contact\.created {2}evt_1 +\\x1b\[2J\\u202e \[con_1\]\n$/)
    child.kill('SIGINT')
    expect(await child.done).toMatchObject({ exit: 0 })
  })
})

describe('subscriptions', () => {
  test('against a service on this machine it subscribes itself once, keeps the secret, and uses it from then on', async () => {
    const home = emptyHome()
    const service = await serve(['--database', await memoryDatabase()], home)
    const args = ['--port', String(await freePort())]
    const first = await listen(args, home)
    const path = join(home.HOME, '.config/crm/webhooks.json')
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    const { id, secret } = kept[service.url][first.url]
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(first.ready).toMatchObject({ subscription_id: id, verifies: true })
    expect(await send(first.url, secret, CREATED)).toBe(204)
    expect((await first.stop()).stderr).toContain(`kept in ${path}`)

    const second = await listen([...args, '--debug'], home)
    expect(second.ready).toEqual(first.ready)
    expect(await send(second.url, secret, CREATED)).toBe(204)
    const { stderr } = await second.stop()
    expect(stderr).toContain(`Using the subscription ${id}`)
    expect(stderr).not.toContain('POST /v1/webhooks')

    const third = await listen([...args, '--subscribe', '--debug'], home)
    expect(third.ready.subscription_id).not.toBe(id)
    // The first one cannot be ended: its events are still genuine.
    expect(await send(third.url, secret, CREATED)).toBe(204)
    const renewed = JSON.parse(readFileSync(path, 'utf8'))[service.url][first.url]
    expect(await send(third.url, renewed.secret, CREATED, 'evt_2')).toBe(204)
    const said = (await third.stop()).stderr
    expect(said).toMatch(/^debug: .*POST \/v1\/webhooks/m)
    expect(said).not.toContain(renewed.secret)
  })

  test('with a key from the environment it refuses, and with --subscribe it keeps no secret', async ({ service }) => {
    const env = { ...service.env, HOME: tempFolder() }
    const refused = await crm(['listen', '--port', String(await freePort())], env)
    expect(refused).toMatchObject({ exit: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      /^crm: no secret is known for .*CRM_API_KEY.*\n {2}.*crm listen --port \d+ --subscribe/,
    )
    const { ready, stop } = await listen(['--subscribe', '--port', '0'], env)
    expect(ready).toMatchObject({ verifies: true, subscription_id: expect.stringMatching(/^wh_/) })
    expect((await stop()).stderr).toContain(
      'its secret is not stored: it is lost when this command ends, which then deletes the subscription if the server can.',
    )
    expect(existsSync(join(env.HOME, '.config'))).toBe(false)
  })

  test('a kept subscription is used with a key from the environment too', async () => {
    const home = emptyHome()
    const { url } = await serve(['--database', await memoryDatabase()], home)
    const args = ['--port', String(await freePort())]
    const first = await listen(args, home)
    await first.stop()
    const key = (await crmPrints(['auth', 'token'], home)).trim()
    const second = await listen(args, { ...home, CRM_API_KEY: key, CRM_BASE_URL: url })
    expect(second.ready).toEqual(first.ready)
  })
})

test('the events of a service appear in a listener, verified and in order', async () => {
  const home = emptyHome()
  const service = await serve(['--database', await memoryDatabase()], home)
  const { next, stop } = await listen(['--port', String(await freePort())], home)
  const id = (await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-o', 'id'], home)).trim()
  await crmPrints(['contacts', 'update', id, '--set', 'name=Grace'], home)
  const facts = { type: 'event', record_id: id, verified: true, duplicate: false, scheme: 'standard-webhooks' }
  expect(await next()).toMatchObject({ ...facts, event: 'contact.created', body: { data: { name: 'Ada' } } })
  expect(await next()).toMatchObject({ ...facts, event: 'contact.updated', body: { previous: { name: 'Ada' } } })
  expect(await stop()).toMatchObject({ exit: 0 })
  expect(await service.stop()).toBe(0)
})

describe('refused before anything is listened to is', () => {
  const env = () => emptyHome({ CRM_API_KEY: 'crm_key_0123456789abcdef', CRM_BASE_URL: 'https://crm.example.test' })

  test.for([
    [['--port', '0'], /--port 0 listens at a new address each time/, /--subscribe/],
    [['--subscribe', '--insecure-skip-verify'], /contradict each other/, /give one/],
    [['--subscribe', '--port', '0'], /https:\/\/crm\.example\.test cannot reach http:\/\/127/, /--secret-file/],
    [['--secret-file', '/nowhere'], /cannot read --secret-file "\/nowhere": no such file/, undefined],
    [['--secret-file', '/dev/null'], /--secret-file \/dev\/null holds no secret/, /whsec_/],
    [['--path', 'hook'], /--path/, /crm listen --help/],
    [['--events', 'a b'], /--events/, /crm listen --help/],
    [['-o', 'json'], /crm listen prints table or jsonl, not json/, /crm listen -o jsonl/],
  ] as const)('%j', async ([args, what, next]) => {
    const port = args.includes('--port' as never) ? [] : ['--port', String(await freePort())]
    const { exit, stdout, stderr } = await crm(['listen', ...port, ...args], env())
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    const shown = args.includes('-o' as never) ? JSON.parse(stderr).error : undefined
    const [first, second] = shown ? [shown.message, shown.hint] : stderr.split('\n')
    expect(first).toMatch(what)
    if (next) expect(second).toMatch(next)
  })

  test('a port in use, with 13', async () => {
    const { args } = newSecretFile()
    const { url } = await listen([...args, '--port', '0'], emptyHome())
    const { exit, stderr } = await crm(['listen', ...args, '--port', new URL(url).port, '-o', 'jsonl'], emptyHome())
    expect(exit).toBe(13)
    const other = String(Number(new URL(url).port) + 1)
    const hint = ['crm', 'listen', ...args, '-o', 'jsonl', '--port', other].join(' ')
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'machine', message: expect.stringMatching(/the port is in use$/), hint },
    })
  })
})

describe('pipes', () => {
  test('| head ends it with 0 at the next event, which is not acknowledged', async () => {
    const { secret, args } = newSecretFile()
    const port = String(await freePort())
    const script = '"$@" | head -1; echo "${PIPESTATUS[0]}"'
    const command = [process.execPath, CRM, 'listen', '-o', 'jsonl', '-q', ...args, '--port', port]
    const bash = spawn('bash', ['-c', script, 'bash', ...command], {
      env: emptyHome(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [head] = await once(bash.stdout.setEncoding('utf8'), 'data')
    expect(head).toMatch(/^\{"type":"ready"/)
    const [[exit]] = await Promise.all([
      once(bash.stdout, 'data'),
      expect(send(`http://127.0.0.1:${port}/`, secret, CREATED)).rejects.toThrow('fetch failed'),
    ])
    expect(exit).toBe('0\n')
  })

  test('a slow reader slows the sender down, and nothing is lost', async () => {
    const { secret, args } = newSecretFile()
    const port = String(await freePort())
    const child = startCrm(['listen', '-o', 'jsonl', ...args, '--port', port], emptyHome())
    await once(child.stdout, 'readable')
    let answered = 0
    const large = { type: 'note.created', data: { id: 'note_1', body: 'x'.repeat(200_000) } }
    const sent = Array.from({ length: 20 }, async (_, index) => {
      expect(await send(`http://127.0.0.1:${port}/`, secret, large, `evt_${index}`)).toBe(204)
      answered++
    })
    let seen = -1
    const isSettled = () => {
      const isSame = seen === answered
      seen = answered
      return isSame
    }
    await expect.poll(isSettled, { timeout: 10_000, interval: 300 }).toBe(true)
    expect(answered).toBeLessThan(20)
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    await Promise.all(sent)
    child.kill('SIGINT')
    expect(await child.done).toMatchObject({ exit: 0, stderr: expect.stringContaining('Events: 20,') })
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    expect(new Set(lines.slice(1).map(({ id }) => id)).size).toBe(20)
  })

  test('Ctrl-C stops it although its reader has stopped reading, and a second one does not wait for that reader', async () => {
    const { secret, args } = newSecretFile()
    const port = String(await freePort())
    const child = startCrm(['listen', '-o', 'jsonl', ...args, '--port', port], emptyHome())
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    await once(child.stdout, 'readable')
    const large = { type: 'note.created', data: { body: 'x'.repeat(900_000) } }
    const cut = [1, 2, 3].map((at) => send(`http://127.0.0.1:${port}/`, secret, large, `evt_${at}`).catch(() => 'cut'))
    await expect.poll(() => child.stdout.readableLength).toBeGreaterThan(50_000)
    child.kill('SIGINT')
    expect(await Promise.all(cut)).toContain('cut')
    await expect.poll(() => said).toMatch(/crm listen has stopped\. Events: [012],/)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([143, null])
  })
})

test('it loads no client, no service and no package but commander', async () => {
  const home = emptyHome({ NODE_V8_COVERAGE: tempFolder() })
  const { stop } = await listen([...newSecretFile().args, '--port', '0'], home)
  expect(await stop()).toMatchObject({ exit: 0 })
  const parts = partsIn(home.NODE_V8_COVERAGE ?? '')
  expect(parts).toContain('src/webhooks')
  for (const part of ['src/api', 'src/service', 'undici', 'conf', 'cli-table3', 'yaml']) {
    expect(parts).not.toContain(part)
  }
})
