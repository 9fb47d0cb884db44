import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSelfSignedCertificate } from '../../api/self-signed-certificate.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { startApp } from '../../webhooks/app.ts'
import { sampleEvent } from '../../webhooks/sample-event.ts'
import { newSecret } from '../../webhooks/signed.ts'
import { homeWith } from './kept-events.ts'

const TRIGGER = ['webhooks', 'trigger', 'contact.created']

async function startTlsApp(name = 'localhost') {
  const certificate = makeSelfSignedCertificate(name)
  const folder = tempFolder()
  const file = (title: string, text: string) => {
    const path = join(folder, title)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const app = await startApp(undefined, '127.0.0.1', certificate)
  const secret = ['--secret-file', file('secret', `${newSecret()}\n`)]
  return { app, file, url: `https://localhost:${app.port}/hook`, secret, authority: file('ca.pem', certificate.cert) }
}

test.each(['trigger', 'replay'])(
  '%s sends to https once its certificate is trusted, or not asked for',
  async (verb) => {
    const { app, url, secret, authority } = await startTlsApp()
    const { home } = await homeWith([sampleEvent('evt_a')])
    const words = verb === 'trigger' ? ['contact.created'] : ['evt_a']
    const send = (...more: string[]) => crm(['webhooks', verb, ...words, '--to', url, ...secret, ...more], home)
    const refused = await send()
    expect(refused.exit).toBe(9)
    expect(refused.stdout + refused.stderr).toContain('its certificate is self-signed; --cacert FILE trusts it')
    expect(refused.stderr).toMatch(
      / {2}trust the certificate, .*: --cacert FILE; on this machine also: --insecure-skip/,
    )
    expect(app.requests).toHaveLength(0)
    expect(await send('--cacert', authority)).toMatchObject({ exit: 0 })
    expect(await send('--insecure-skip-verify-target')).toMatchObject({ exit: 0 })
    expect(app.requests).toHaveLength(2)
  },
)

test('a certificate for another name is refused, also on this machine, unless none is asked for', async () => {
  const { app, url, secret, authority } = await startTlsApp('crm.test')
  const send = (...more: string[]) =>
    crm(['webhooks', 'trigger', 'contact.created', '--to', url, ...secret, ...more], emptyHome())
  const refused = await send('--cacert', authority)
  expect(refused.exit).toBe(9)
  expect(refused.stderr).toContain('its certificate is for crm.test, not for localhost')
  expect(refused.stderr).toContain(`send it to the name in the certificate: https://crm.test:${app.port}/hook; on this`)
  expect(app.requests).toHaveLength(0)
  expect(await send('--insecure-skip-verify-target')).toMatchObject({ exit: 0 })
})

test('headers are added, replace those of the event, and may hold a credential if a file has them', async () => {
  const app = await startApp()
  const { home } = await homeWith([sampleEvent('evt_a')])
  const { secret, file } = await startTlsApp()
  const headers = file('headers', 'Authorization: Bearer of-the-app\n\nX-Env: test\n')
  const words = ['webhooks', 'replay', 'evt_a', '--to', app.url, ...secret]
  const sent = await crm([...words, '--header', 'X-Tenant: a: b', '-H', 'user-agent: mine', '-H', `@${headers}`], home)
  expect(sent).toMatchObject({ exit: 0 })
  const [request] = app.requests
  expect(request?.headers).toMatchObject({
    'x-tenant': 'a: b',
    'user-agent': 'mine',
    authorization: 'Bearer of-the-app',
    'x-env': 'test',
    'webhook-id': 'evt_a',
  })
  expect(request?.rawHeaders.filter((name) => name.toLowerCase() === 'user-agent')).toHaveLength(1)
  expect(sent.stdout + sent.stderr).not.toContain('of-the-app')
})

test('the value of a header may be in a file alone, is in no output, and a file that others can read is warned of', async () => {
  const app = await startApp()
  const { home } = await homeWith([sampleEvent('evt_a')])
  const { secret, file } = await startTlsApp()
  const token = file('token', 'of-the-gateway\n')
  const send = () =>
    crm(['webhooks', 'replay', 'evt_a', '--to', app.url, ...secret, '-H', `X-Auth-Token: @${token}`], home)
  const sent = await send()
  expect(sent).toMatchObject({ exit: 0 })
  expect(app.requests[0]?.headers['x-auth-token']).toBe('of-the-gateway')
  expect(sent.stdout + sent.stderr).not.toMatch(/of-the-gateway|Warning/)
  chmodSync(token, 0o644)
  expect((await send()).stderr).toContain(`can read ${token}; if it holds a secret: chmod 600 ${token}`)
  writeFileSync(token, 'two\nlines\n')
  expect(await send()).toMatchObject({ exit: 2, stderr: expect.stringContaining('takes one line, and') })
  expect(app.requests).toHaveLength(2)
})

test.each(['X-Auth-Token', 'X-Secret', 'Api-Key', 'X-Api-Key', 'Cookie', 'Set-Cookie', 'Proxy_Password', 'My-Token'])(
  'a value of %s on the command line is refused, and not repeated',
  async (name) => {
    const run = await crm(
      ['webhooks', 'trigger', 'contact.created', '--to', '3000', '-H', `${name}: hunter2`],
      emptyHome(),
    )
    expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining(`--header '${name}: @FILE'`) })
    expect(run.stderr).not.toContain('hunter2')
  },
)

// In two parts, so that no scanner of secrets takes them for real ones.
test.each([
  ['gh', 'p_0123456789abcdefghij'],
  ['github_', 'pat_0123456789abcdefghij'],
  ['glp', 'at-0123456789abcdefghij'],
  ['xo', 'xb-0123456789-abcdef'],
  ['xo', 'xp-0123456789-abcdef'],
  ['sk_', 'live_0123456789abcdef'],
  ['rk_', 'test_0123456789abcdef'],
  ['AK', 'IA0123456789ABCDEF'],
  ['eyJhbGciOi', 'JIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'],
  ['whsec_', 'MDEyMzQ1Njc4OWFi'],
  ['crm_key_', '0123456789abcdef'],
])('a value of the form %s%s is refused in any header on the command line, and not repeated', async (...parts) => {
  const value = parts.join('')
  const send = (header: string) => crm([...TRIGGER, '--to', '3000', '-H', header], emptyHome())
  const run = await send(`X-Foo: ${value}`)
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining("--header 'X-Foo: @FILE'") })
  const unnamed = await send(`the ${value}`)
  expect(unnamed).toMatchObject({ exit: 2, stderr: expect.stringContaining('is not a header') })
  expect(run.stderr + unnamed.stderr).not.toContain(parts[1])
})

test.each([
  ['trigger --to', [...TRIGGER, '--to', 'http://ada:geheim@localhost/'], /"http:..\[redacted]@localhost.*@FILE/s],
  ['trigger --to, without a scheme', [...TRIGGER, '--to', 'ada:geheim@localhost:3000'], /"\[redacted]@localhost:3000"/],
  ['a target that is no address', [...TRIGGER, '--to', 'http://ada:ge/geheim@host:x/'], /"http:..\[redacted]@host:x/],
  ['listen --forward', ['listen', '--forward', 'deal.*=http://ada:geheim@localhost/'], /\[redacted]@localhost.*@FILE/s],
  [
    'listen --public-url',
    ['listen', '--public-url', 'https://ada:geheim@a.example/'],
    /"https:..\[redacted]@a.example/,
  ],
  ['a public address without a scheme', ['listen', '--public-url', 'ada:geheim@a.example'], /"\[redacted]@a.example/],
] as const)('credentials in the address of %s are refused, and not repeated', async (_, [...words], what) => {
  const run = await crm(words, emptyHome())
  expect(run).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringMatching(what) })
  expect(run.stderr).not.toContain('geheim')
})

test.each([
  [['listen', '--exec', `notify ghp${'_0123456789abcdefghij'}`], '--exec'],
  [['listen', '--exec', 'curl https://ada:geheim_0123456789abcdefghij@a.example'], '--exec'],
  [['webhooks', 'wait', 'deal.*', '--run', `notify ghp${'_0123456789abcdefghij'}`], '--run'],
])('a credential in a command is refused, and not repeated: %j', async (words, flag) => {
  const run = await crm([...words, '--port', '0', '--secret-file', 'not-read'], emptyHome())
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining(`the command of ${flag} has a secret`) })
  expect(run.stderr).not.toContain('_0123456789abcdefghij')
})

test('a credential in a parameter of the address is sent, shown nowhere, and warned of once', async () => {
  const app = await startApp()
  const { secret } = await startTlsApp()
  const to = `${app.url}?access_token=geheim&id=7`
  const sent = await crm([...TRIGGER, '--to', to, ...secret, '-o', 'json'], emptyHome())
  expect(sent.exit).toBe(0)
  expect(app.requests[0]?.url).toContain('?access_token=geheim&id=7')
  expect(JSON.parse(sent.stdout).target).toContain('?access_token=[redacted]&id=7')
  expect(sent.stderr.match(/Warning: other users can read the credential in the address/g)).toHaveLength(1)
  const dry = await crm([...TRIGGER, '--to', to, '--dry-run'], emptyHome())
  expect(dry.exit).toBe(0)
  expect(sent.stdout + sent.stderr + dry.stdout + dry.stderr).not.toContain('geheim')
})

test('a missing file of --cacert is named before a missing secret', async () => {
  const run = await crm([...TRIGGER, '--to', 'https://localhost:3000', '--cacert', '/nonexistent'], emptyHome())
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining('cannot read --cacert "/nonexistent"') })
})

const NEAR = ['--to', 'https://localhost:3000']
test.each([
  [
    ['--insecure-skip-verify-target', '--to', 'https://hooks.example.com'],
    /hooks.example.com is not on it\n.*--cacert FILE/,
  ],
  [['--insecure-skip-verify-target', '--to', '3000'], /no effect: no target has https\n.*https:\/\/localhost:3000/],
  [['--cacert', 'x.pem', '--insecure-skip-verify-target', ...NEAR], /leave out one of them/],
  [['--cacert', 'missing.pem', ...NEAR], /cannot read --cacert "missing.pem": no such file/],
  [['--cacert', 'package.json', ...NEAR], /"package.json" holds no readable certificate\n.*PEM/],
  [['--header', 'no colon', ...NEAR], /--header "no colon" is not a header\n.*'Name: value'/],
  [['--header', 'webhook-signature: v1,x', ...NEAR], /--header cannot set webhook-signature\n.*--secret-file/],
  [['--header', 'Stripe-Signature: t=1', ...NEAR], /cannot set Stripe-Signature/],
  [['--header', 'Host: a', ...NEAR], /cannot set Host/],
  [['--header', 'Authorization: Basic abcd', ...NEAR], /a secret in Authorization, which other users.*\n.*@FILE/],
  [['--header', 'X-Key: crm_key_0123456789abcdef', ...NEAR], /a secret in X-Key/],
  [['--header', '@missing', ...NEAR], /cannot read --header "missing": no such file/],
] as const)('%j is refused, and nothing is sent', async ([...flags], what) => {
  const { home } = await homeWith([sampleEvent('evt_a')])
  const { secret } = await startTlsApp()
  for (const words of [
    ['replay', 'evt_a'],
    ['trigger', 'contact.created'],
  ]) {
    const run = await crm(['webhooks', ...words, ...flags, ...secret], home)
    expect(run).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringMatching(what) })
    expect(run.stderr).not.toMatch(/abcd|0123456789/)
  }
})

test.each([
  [['listen', '--header', 'X-A: 1'], /--header has no effect: no event is sent to a URL/],
  [['listen', '--forward', '3000', '--cacert', 'x.pem'], /--cacert has no effect: no target has https/],
  [['listen', '--forward', 'https://a.example', '--insecure-skip-verify-target'], /a.example is not on it/],
  [['webhooks', 'replay', 'evt_a', '--header', 'X-A: 1'], /--header has no effect/],
] as const)('%j is refused before anything is subscribed', async ([...words], what) => {
  expect(await crm(words, emptyHome())).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringMatching(what) })
})

test('a secret in place of the name of its file is refused, not repeated, and no file is made of it', async () => {
  const folder = tempFolder()
  const secret = 'whsec_c2VjcmV0LXNlY3JldA=='
  const words = ['webhooks', 'trigger', 'contact.created', '--to', '3000', '--secret-file', secret]
  const run = await crm(words, emptyHome(), '', folder)
  expect(run).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--secret-file names a file, and was given a secret'),
  })
  expect(run.stderr).not.toContain('c2VjcmV0')
  expect(readdirSync(folder)).toEqual([])
  expect(existsSync(secret)).toBe(false)
})

test('trigger refuses a header before it makes a secret', async () => {
  const file = join(tempFolder(), 'new-secret')
  const words = ['webhooks', 'trigger', 'contact.created', '--secret-file', file, '--header', 'Cookie: a=b']
  expect(await crm(words, emptyHome())).toMatchObject({ exit: 2, stderr: expect.stringContaining('secret in Cookie') })
  expect(existsSync(file)).toBe(false)
})

test('an event that is edited is no duplicate, and --previous is named where it is wrong', async () => {
  const { home } = await homeWith([sampleEvent('evt_a', { isDuplicate: true })])
  const shown = await crm(['webhooks', 'replay', 'evt_a', '--set', 'data.name=Eve', '-o', 'jsonl'], home)
  expect(JSON.parse(shown.stdout)).toMatchObject({ duplicate: false, body: { data: { name: 'Eve' } } })
  const trigger = ['webhooks', 'trigger', 'deal.updated', '--previous', 'stage']
  expect(await crm(trigger, home)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--previous "stage" is not'),
  })
})
