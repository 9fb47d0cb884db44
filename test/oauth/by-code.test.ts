import { describe, expect, onTestFinished, test } from 'vitest'
import { signInByCode } from '../../src/oauth/sign-in.ts'
import { fetchThrough } from '../../src/oauth/through-connections.ts'
import { freePort } from '../harness/free-port.ts'
import { type Authorization, agree, HAS_PROVIDER, SECRET, startAuthorization } from './authorization-server.ts'

async function begin(terms: { readonly host?: string; readonly skewMs?: number; readonly timeoutMs?: number } = {}) {
  const { host = '127.0.0.1', skewMs = 0, timeoutMs = 5000 } = terms
  const callback = new URL(`http://${host}:${await freePort()}/callback`)
  const authorization = await startAuthorization({ tokenSeconds: 60, callback: callback.href }, onTestFinished)
  const shown = Promise.withResolvers<string>()
  const pasted = Promise.withResolvers<string>()
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const signed = signInByCode({
    login: { flow: 'code', token: `${authorization.url}/token`, client: 'crm', secret: SECRET, scopes: ['crm.read'] },
    server: { issuer: authorization.url, authorize: `${authorization.url}/auth`, scopes_by: ' ' },
    ...{ parameters: {}, callback, signal: stop.signal, now: () => Date.now() + skewMs },
    fetch: fetchThrough({ timeoutMs, env: {}, signal: stop.signal }),
    show: async (address) => shown.resolve(address.href),
    ask: () => pasted.promise,
  })
  signed.catch(() => {})
  return { authorization, callback, signed, address: await shown.promise, paste: pasted.resolve }
}

function other(address: URL, changes: Readonly<Record<string, string>>): URL {
  const changed = new URL(address)
  for (const [name, value] of Object.entries(changes)) changed.searchParams.set(name, value)
  return changed
}

describe.skipIf(!HAS_PROVIDER)('a sign-in by code (skipped without npm ci in tools/judges)', () => {
  test.each(['127.0.0.1', 'localhost'])('at %s: PKCE, state, and a refresh token', async (host) => {
    const { signed, address, callback } = await begin({ host })
    const asked = new URL(address).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', redirect_uri: callback.href, scope: 'crm.read' },
    })
    const answer = await fetch(await agree(address))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('crm goes on in the terminal')])
    const login = await signed
    expect(login).toMatchObject({ flow: 'code', refresh: expect.any(String), life: 60_000, scopes: ['crm.read'] })
    await expect(fetch(callback)).rejects.toThrow()
  })

  test('the state of another sign-in, another host and another path are refused, and the right one still counts', async () => {
    const { signed, address, callback } = await begin()
    const arrived = await agree(address)
    expect((await fetch(other(arrived, { state: 'stolen' }))).status).toBe(400)
    expect((await fetch(callback)).status).toBe(400)
    expect((await fetch(new URL('/elsewhere', callback))).status).toBe(404)
    expect((await fetch(String(arrived).replace('127.0.0.1', 'localhost'))).status).toBe(404)
    expect((await fetch(arrived)).status).toBe(200)
    expect(await signed).toMatchObject({ access: expect.any(String) })
  })

  test('a code of another server gives no token, nor does a stolen one, and none is taken twice', async () => {
    const mixed = await begin()
    await fetch(other(await agree(mixed.address), { iss: 'https://evil.test' }))
    await expect(mixed.signed).rejects.toMatchObject({ code: 'bad_answer' })
    const used = await begin()
    const arrived = await agree(used.address)
    const body = { grant_type: 'authorization_code', code: arrived.searchParams.get('code') ?? '', client_id: 'crm' }
    const stolen = { ...body, client_secret: SECRET, redirect_uri: used.callback.href }
    const taken = await fetch(`${used.authorization.url}/token`, { method: 'POST', body: new URLSearchParams(stolen) })
    // Without the verifier of PKCE, the code is of no use.
    expect(taken.status).toBe(400)
    await fetch(arrived)
    await expect(used.signed).resolves.toMatchObject({ access: expect.any(String) })
    await expect(fetch(arrived)).rejects.toThrow()
  })

  test('a code that somebody else used first is refused, with what the server says', async () => {
    const { signed, address, authorization } = await begin()
    // With all that crm sends, the verifier too.
    const replayed: number[] = []
    authorization.answers = async (_, asked) => {
      authorization.answers = () => undefined
      const body = new URLSearchParams(asked)
      replayed.push((await fetch(`${authorization.url}/token`, { method: 'POST', body })).status)
    }
    await fetch(await agree(address))
    await expect(signed).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ gives no token: invalid_grant/),
    })
    expect(replayed).toEqual([200])
  })

  test.each([302, 307])('neither the callback nor a request for tokens leads elsewhere: %i', async (status) => {
    const other = await begin()
    const { signed, address, callback, authorization } = await begin()
    authorization.answers = () => ({ status, body: '{}', headers: { location: `${other.authorization.url}/token` } })
    const arrived = await agree(address)
    const foreign = new URL(callback)
    foreign.search = '?state=x&redirect_uri=https://evil.test/&error_uri=https://evil.test/'
    const refused = await fetch(foreign, { redirect: 'manual' })
    expect([refused.status, refused.headers.get('location'), await refused.text()]).toEqual([
      ...[400, null, 'This is of another sign-in, and was not used.\n'],
    ])
    await fetch(arrived)
    await expect(signed).rejects.toMatchObject({ code: 'bad_answer', message: expect.stringContaining(`${status}`) })
    expect(other.authorization.asked).toEqual([])
  })

  test('over SSH, the address is pasted; one of another sign-in is refused', async () => {
    const { signed, address, paste } = await begin()
    paste(`  ${await agree(address)}\n`)
    expect(await signed).toMatchObject({ access: expect.any(String) })
    const wrong = await begin()
    wrong.paste(other(await agree(wrong.address), { state: 'x' }).href)
    await expect(wrong.signed).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('another sign-in'),
    })
    for (const isEmpty of [true, false]) {
      const early = await begin()
      early.paste(isEmpty ? '' : early.address)
      await expect(early.signed).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('no code') })
    }
    const code = await begin()
    code.paste((await agree(code.address)).searchParams.get('code') ?? '')
    await expect(code.signed).resolves.toMatchObject({ access: expect.any(String) })
  })

  test('a person who refuses, a slow server and a clock that is wrong', async () => {
    const late = await begin({ timeoutMs: 300 })
    late.authorization.answers = () => ({ status: 0, body: '', afterMs: 1500 })
    await fetch(await agree(late.address))
    await expect(late.signed).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ gives no token: timeout/),
    })
    const refusing = await begin()
    const state = new URL(refusing.address).searchParams.get('state') ?? ''
    await fetch(other(refusing.callback, { state, error: 'access_denied' }))
    await expect(refusing.signed).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('access_denied'),
    })
    for (const skewMs of [-300_000, 300_000]) {
      const { signed, address, authorization } = await begin({ skewMs })
      const slowly: Authorization['answers'] = () => ({ status: 0, body: '', afterMs: 1500 })
      authorization.answers = slowly
      await fetch(await agree(address))
      const login = await signed
      expect((login.ends ?? 0) - (Date.now() + skewMs)).toBeLessThanOrEqual(60_000)
    }
  })
})
