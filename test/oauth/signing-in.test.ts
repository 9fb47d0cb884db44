import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withNewToken } from '../../src/oauth/grants.ts'
import { fetchThrough } from '../../src/oauth/through-connections.ts'
import { keepInFile } from '../../src/settings/keep-key.ts'
import { oauthLoginText } from '../../src/settings/oauth-login.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { startService } from '../harness/service.ts'
import { HAS_PROVIDER, SECRET } from './authorization-server.ts'
import { filesWith, openAuthorized } from './signed-up.ts'

const KEYS = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

const signedUp = (tokenSeconds: number, addresses?: (url: string) => string, delayMs = 0) =>
  openAuthorized(startService, { tokenSeconds, publicKey: KEYS.publicKey }, { addresses, delayMs })

describe.skipIf(!HAS_PROVIDER)('a real authorization server (skipped without npm ci in tools/judges)', () => {
  test('client credentials: a token of two seconds is renewed once for each, and nothing shows a secret', async () => {
    const { authorization, gate, env, file, login, kept } = await signedUp(2)
    const secret = file('secret', `${SECRET}\n`)
    const words = [...login, '--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', secret]
    const { exit, stdout, stderr } = await crm(words, env)
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/Scopes: crm\.read, crm\.write.*the tokens are in /s)])
    expect(stdout + stderr).not.toContain(SECRET)
    const first = JSON.parse(JSON.parse(kept()).own.key).access
    expect(stdout + stderr).not.toContain(first)
    for (let at = 0; at < 4; at++) {
      await crmPrints(['contacts', 'create', '--set', `name=N${at}`], env)
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
    expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toHaveLength(4)
    // So that this command renews it.
    await new Promise((resolve) => setTimeout(resolve, 2100))
    const echoed = await crm(['contacts', 'get', 'echo', '--debug'], env)
    expect([echoed.exit, echoed.stderr]).toEqual([7, expect.stringContaining('you sent [redacted]')])
    expect(echoed.stderr).not.toContain(JSON.parse(JSON.parse(kept()).own.key).access)
    expect(gate.tokens.size).toBeGreaterThan(1)
    expect(authorization.asked).toEqual(gate.tokens.size === 2 ? GRANTS.slice(0, 2) : GRANTS.slice(0, gate.tokens.size))
  })

  test('status shows the sign-in without a secret, logout takes the tokens back, and no file but the one of keys has them', async () => {
    const { authorization, env, file, login, kept } = await signedUp(60)
    const secret = file('secret', SECRET)
    const words = [...login, '--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', secret]
    await crmPrints(words, env)
    await crmPrints(['contacts', 'create', '--set', 'name=Ada'], env)
    const { access } = JSON.parse(JSON.parse(kept()).own.key)
    const status = await crm(['auth', 'status', '-o', 'json'], env)
    expect(JSON.parse(status.stdout)).toMatchObject({
      ...{ sign_in: 'client_credentials', client_id: 'crm', is_renewed: true, accepted: true, source: 'file' },
      ...{ last_four: access.slice(-4), token_ends_at: expect.stringMatching(/^\d{4}-/), is_renewed: true },
    })
    expect(status.stderr).toContain('The tokens are in a file that only this user can read')
    const debug = await crm(['contacts', 'list', '--debug'], env)
    const missing = await crm(['contacts', 'get', 'con_nobody', '--debug', '-o', 'json'], env)
    rmSync(secret)
    const shown = [status, debug, missing].map(({ stdout, stderr }) => stdout + stderr).join('')
    for (const marked of [access, SECRET]) {
      expect(shown).not.toContain(marked)
      expect(filesWith(env.HOME ?? '', marked)).toEqual(['.config/crm/keys.json'])
    }
    expect(await crmPrints(['auth', 'token'], env)).toBe(`${access}\n`)
    // The client is used again.
    expect(await crm(['auth', 'login', '-p', 'own', '--storage', 'file'], env)).toMatchObject({ exit: 0 })
    const again = JSON.parse(JSON.parse(kept()).own.key)
    expect(again).toMatchObject({ flow: 'client_credentials', client: 'crm' })
    const out = await crm(['auth', 'logout', '-p', 'own'], env)
    expect([out.exit, out.stderr]).toEqual([0, expect.stringContaining('and the server has taken them back')])
    expect(await authorization.isValid(again.access)).toBe(false)
    expect(filesWith(env.HOME ?? '', again.access)).toEqual([])
    expect((await crm(['contacts', 'list'], env)).exit).toBe(4)
  })

  test('a person is asked for, or the flow of programs; keys stay the way of a connector that says so', async () => {
    const { env, login, service } = await signedUp(60)
    const empty = ['--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', '-']
    expect(await crm([...login, ...empty], env, '\n')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--client-secret-file - is empty'),
    })
    const code = await crm([...login, '--client-id', 'crm'], env)
    expect([code.exit, code.stderr]).toEqual([
      4,
      expect.stringMatching(/needs a person at a terminal\n.*--flow client_credentials/),
    ])
    const words = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '-p', 'plain']
    const other = await crm([...words, '--flow', 'code'], env)
    expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining('says nothing of OAuth')])
    expect((await crm([...words, '--key-stdin'], env, service.key)).exit).toBe(0)
  })

  test('a JWT signed with the key of the client', async () => {
    const { env, file, login, kept, gate } = await signedUp(60)
    const words = [...login, '--flow', 'jwt', '--client-id', 'crm', '--subject', 'ines@x.test']
    const secret = { ...env, CRM_CLIENT_SECRET: SECRET }
    const key = file('key.pem', KEYS.privateKey)
    expect((await crm(words, secret)).stderr).toContain('--flow jwt needs the private key')
    const wrong = file(
      'wrong.pem',
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    )
    const other = file('pkcs1.pem', '-----BEGIN RSA PRIVATE KEY-----\nAA==\n-----END RSA PRIVATE KEY-----\n')
    expect(await crm([...words, '--jwt-key', other], secret)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(`openssl pkcs8 -topk8 -nocrypt -in ${other} -out ${other}.pkcs8 converts`),
    })
    const refused = await crm([...words, '--jwt-key', wrong], secret)
    expect([refused.exit, refused.stderr]).toEqual([
      4,
      expect.stringContaining('invalid_grant: the assertion is not valid'),
    ])
    expect(await crm([...words, '--jwt-key', key], secret)).toMatchObject({ exit: 0, stdout: '' })
    expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toEqual([])
    expect([gate.tokens.size, gate.refused()]).toEqual([1, 0])
    const signIn = JSON.parse(JSON.parse(kept()).own.key)
    expect(signIn.jwt.subject).toBe('ines@x.test')
    const behind = () => Date.now() - 300_000
    const through = fetchThrough({ timeoutMs: 5000, env: {}, signal: new AbortController().signal })
    await expect(withNewToken(signIn, through, behind)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/is not valid: the clock of this machine is 5m behind that of the server$/),
    })
    await expect(withNewToken(signIn, through, () => Date.now() + 300_000)).resolves.toMatchObject({ life: 60_000 })
  })

  test.each(['stdin', 'file', 'env'] as const)(
    'in CI: by code is no way, and the hint is one, with a secret by %s',
    async (by) => {
      const { env: home, file, login } = await signedUp(60)
      const env = { ...home, CI: '1', CRM_CLIENT_ID: 'crm' }
      const refusal = {
        exit: 4,
        code: 'no_key',
        what: /^crm: a sign-in by code needs a person at a terminal$|^a sign-in/,
      }
      await expectRefusal({ args: login, env }, { ...refusal, next: /^crm auth login .*--flow client_credentials$/ })
      const words = [...login, '--flow', 'client_credentials']
      const none = { exit: 2, code: 'usage', what: /--flow client_credentials needs the secret of the client/ }
      await expectRefusal({ args: words, env }, { ...none, next: /--client-secret-file FILE$/ })
      const flag = {
        stdin: ['--client-secret-file', '-'],
        file: ['--client-secret-file', file('secret', SECRET)],
        env: [],
      }
      const given = by === 'env' ? { ...env, CRM_CLIENT_SECRET: SECRET } : env
      const done = await crm([...words, ...flag[by]], given, by === 'stdin' ? `${SECRET}\n` : '')
      expect([done.exit, done.stdout, done.stderr.includes(SECRET)]).toEqual([0, '', false])
      expect(await crmPrints(['contacts', 'list', '-o', 'json'], env)).toBe('[]\n')
    },
  )

  test('a clock that is set back five minutes after a sign-in costs one refused request', async () => {
    const { env, file, login, kept, gate } = await signedUp(1)
    await crmPrints(
      [...login, '--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', file('secret', SECRET)],
      env,
    )
    const keys = JSON.parse(kept())
    const signIn = JSON.parse(keys.own.key)
    keys.own.key = JSON.stringify({ ...signIn, ends: signIn.ends + 300_000 })
    writeFileSync(join(env.HOME, '.config/crm/keys.json'), JSON.stringify(keys))
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await crmPrints(['contacts', 'list', '-o', 'json'], env)).toBe('[]\n')
    expect(gate.refused()).toBe(1)
  })

  test('the issuer publishes the addresses, which are kept with the sign-in; another issuer than the stated one is refused', async () => {
    const { authorization, env, file, login, kept } = await signedUp(60, (url) => `    issuer: ${url}`)
    const words = ['--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', file('secret', SECRET)]
    for (const hidden of ['oauth-authorization-server', 'openid-configuration']) {
      authorization.hidden = `/.well-known/${hidden}`
      expect(await crm([...login, ...words], env)).toMatchObject({ exit: 0 })
    }
    const { url } = authorization
    expect(JSON.parse(JSON.parse(kept()).own.key)).toMatchObject({
      ...{ token: `${url}/token`, revoke: `${url}/token/revocation` },
    })
    expect((await crm(['auth', 'logout'], env)).stderr).toContain('and the server has taken them back')
    const other = await signedUp(60, (at) => `    issuer: ${at.replace('127.0.0.1', 'localhost')}`)
    const refused = await crm([...other.login, ...words], other.env)
    expect([refused.exit, refused.stderr]).toEqual([
      7,
      expect.stringMatching(/localhost:\d+ says no addresses: .*issuer does not match/),
    ])
    const none = await signedUp(60, (at) => `    issuer: ${at}/nothing`)
    const missing = await crm([...none.login, ...words], none.env)
    expect([missing.exit, missing.stderr]).toEqual([
      7,
      expect.stringMatching(/127\.0\.0\.1:\d+ says no addresses: it answers 404/),
    ])
  })

  test('status says when the refresh token ends; once a token has ended and none follows, status and token are exit 4', async () => {
    const { authorization, gate, env, login, kept } = await signedUp(60)
    const known = {
      flow: 'code',
      client: 'crm',
      secret: SECRET,
      scopes: ['crm.read'],
      token: `${authorization.url}/token`,
    } as const
    const ended = { access: 'marked-access-0', refresh: 'marked-refresh-0', ends: Date.now() - 1, life: 1000 }
    const key = oauthLoginText({ ...known, ...ended, revoke: 'http://127.0.0.1:1/revoke' })
    await crmPrints([...login, '--key-stdin', '--no-verify'], env, 'a-key')
    await keepInFile(openSettings(env), 'own', { origin: gate.url, key }, () => {})
    const next = {
      access_token: 'marked-access-1',
      token_type: 'Bearer',
      expires_in: 1,
      refresh_token_expires_in: 86_400,
    }
    authorization.answers = () => ({ status: 200, body: JSON.stringify(next) })
    const status = () => crm(['auth', 'status', '-o', 'json'], env)
    const refused = await status()
    const { refresh_ends_at: at, ...shown } = JSON.parse(refused.stdout)
    expect(shown).toMatchObject({ accepted: false, sign_in: 'code', is_renewed: true, client_id: 'crm' })
    expect(Math.abs(Date.parse(at) - Date.now() - 86_400_000)).toBeLessThan(30_000)
    expect(kept()).toContain('marked-refresh-0')
    await new Promise((resolve) => setTimeout(resolve, 1100))
    authorization.answers = () => undefined
    const over = await status()
    const again = /crm auth login --connector \S+ --base-url \S+ -p own/
    expect([over.exit, over.stderr]).toEqual([4, expect.stringMatching(/has ended: .*invalid_grant/)])
    expect(over.stderr).toMatch(again)
    const token = await crm(['auth', 'token'], env)
    expect([token.exit, token.stdout, token.stderr]).toEqual([4, '', expect.stringMatching(again)])
    const out = await crm(['auth', 'logout'], env)
    expect([out.exit, out.stderr]).toEqual([
      9,
      expect.stringMatching(/deleted from this machine; 127\.0\.0\.1:1 has not taken the tokens back: ECONNREFUSED/),
    ])
    expect(kept()).not.toContain('marked-')
    for (const { stdout, stderr } of [refused, over, token, out]) expect(stdout + stderr).not.toContain('marked-')
  })

  test('an export that outlasts its tokens is whole', async () => {
    const { service, gate, env, file, login } = await signedUp(1, undefined, 120)
    await make(
      service,
      '/v1/contacts',
      Array.from({ length: 100 }, (_, at) => ({ name: `N${at}` })),
    )
    const words = ['--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', file('secret', SECRET)]
    await crmPrints([...login, ...words], env)
    await crmPrints(['config', 'set', 'page_size', '5', '-p', 'own'], env)
    const out = join(env.HOME ?? '', 'out.jsonl')
    await crmPrints(['contacts', 'export', out], env)
    expect(new Set(readFileSync(out, 'utf8').trimEnd().split('\n')).size).toBe(100)
    expect(gate.tokens.size).toBeGreaterThan(2)
  })

  test('a refusal of a new token is exit 4 with the command that signs in again; an outage is waited for', async () => {
    const { authorization, env, file, login } = await signedUp(1)
    const secret = file('secret', SECRET)
    await crmPrints(
      [...login, '--flow', 'client_credentials', '--client-id', 'crm', '--client-secret-file', secret],
      env,
    )
    await new Promise((resolve) => setTimeout(resolve, 1100))
    let outages = 1
    authorization.answers = () =>
      outages-- > 0 ? { status: 503, body: '{"error":"temporarily_unavailable"}' } : undefined
    expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 1100))
    authorization.answers = () => ({ status: 400, body: '{"error":"invalid_client","error_description":"gone"}' })
    const { exit, stderr } = await crm(['contacts', 'list'], env)
    expect([exit, stderr]).toEqual([
      4,
      expect.stringMatching(
        /The sign-in of profile own has ended: 127\.0\.0\.1:\d+ gives no token: invalid_client: gone/,
      ),
    ])
    const [, typed = ''] =
      /crm (auth login --connector \S+own\.yaml --base-url http:\S+ -p own --storage file)$/m.exec(stderr) ?? []
    authorization.answers = () => undefined
    expect(await crm(typed.split(' '), env)).toMatchObject({ exit: 0 })
    expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toEqual([])
  })
})

const GRANTS = Array.from({ length: 9 }, () => ({ grant: 'client_credentials', status: 200 }))
