import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import type { Env } from '../harness/home.ts'
import { HAS_PROVIDER, SECRET } from '../oauth/authorization-server.ts'
import { openAuthorized } from '../oauth/signed-up.ts'
import { crmPrints } from './crm.ts'
import { startService } from './service.ts'
import { signInAtTerminal, withBrowser, withoutOpener } from './signing-in.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

async function opened() {
  const callback = `http://127.0.0.1:${await freePort()}/callback`
  const parts = await openAuthorized(startService, { tokenSeconds: 60, callback })
  const words = [...parts.anywhere, '--client-id', 'crm', '--callback', callback]
  const isKept = async (env: Env) => (await crmPrints(['contacts', 'list', '-o', 'json'], env)) === '[]\n'
  /** What only the request for tokens may hold. */
  const leaks = (text: string) => [...parts.authorization.secrets].filter(([secret]) => text.includes(secret))
  return { ...parts, callback, words, isKept, leaks }
}

describe.skipIf(!HAS_PROVIDER || !HAS_TMUX)(
  'by code at a terminal (skipped without tmux, or npm ci in tools/judges)',
  () => {
    test('a browser is opened, and its end is that of the sign-in; it gets no secret', async () => {
      const { words, env: home, isKept, leaks, authorization } = await opened()
      const { env, calls } = withBrowser({ ...home, CRM_CLIENT_SECRET: SECRET })
      // Without a keyring: the question comes after the answer of the browser, while nothing was typed.
      const shown = await signInAtTerminal(words, env)
      expect(shown).toMatch(/Keep the key in the private file .*exit=0/s)
      expect(await isKept(home)).toBe(true)
      expect(calls()).toMatch(/^http:\S+&state=\S+\n|^http:\S+state=\S+&\S+\n/)
      expect(calls()).toContain('code_challenge=')
      expect([...new Set(authorization.secrets.values())].toSorted()).toEqual([
        ...['access_token', 'client_secret', 'code', 'code_verifier', 'refresh_token'],
      ])
      expect(leaks(calls() + shown)).toEqual([])
    })

    test.each([
      ['over SSH', (env: Env) => ({ ...env, SSH_CONNECTION: 'x' }), []],
      ['with --no-browser', (env: Env) => env, ['--no-browser']],
      ['where the program that opens one is missing', withoutOpener, []],
    ] as const)('%s, the address is shown, and the one that is pasted is not', async (_, placed, flags) => {
      const { words, env: home, isKept, leaks } = await opened()
      const { env, calls } = withBrowser(home)
      const shown = await signInAtTerminal([...words, ...flags], placed(env), { isPasted: true })
      expect(shown).toMatch(/Sign in at this address:\nhttp:.*exit=0/s)
      expect(await isKept(home)).toBe(true)
      expect([leaks(shown), calls()]).toEqual([[], ''])
    })

    test('tokens that nobody lets crm keep are taken back', async () => {
      const { words, env, authorization } = await opened()
      const shown = await signInAtTerminal(words, withBrowser(env).env, { answer: 'n' })
      expect(shown).toMatch(/The server has taken the new tokens back\..*nothing was stored.*exit=/s)
      const tokens = [...authorization.secrets].flatMap(([secret, name]) => (name === 'access_token' ? [secret] : []))
      expect([tokens.length, await authorization.isValid(tokens[0] ?? '')]).toEqual([1, false])
    })

    test('a port that is in use is needed for a browser, and not for an address that is pasted', async () => {
      const { words, env, callback, isKept } = await opened()
      const other = createServer().listen(Number(new URL(callback).port), '127.0.0.1')
      onTestFinished(() => void other.close())
      const desktop = withBrowser({ ...env, CRM_CLIENT_SECRET: SECRET })
      const taken = openTerminal(words, desktop.env, { columns: 300, rows: 24 })
      expect(await taken.sees('exit=')).toMatch(/crm cannot listen at .*--callback URL.*exit=/s)
      expect(desktop.calls()).toBe('')
      const shown = await signInAtTerminal([...words, '--no-browser'], env, { isPasted: true })
      expect(shown).toMatch(/The port of the callback is in use here; paste .*exit=0/s)
      expect(await isKept(env)).toBe(true)
    })

    test('in CI nobody is asked, though there is a terminal', async () => {
      const { words, env } = await opened()
      const terminal = openTerminal(words, { ...env, CI: '1' }, { columns: 300, rows: 24 })
      expect(await terminal.sees('exit=')).toMatch(
        /needs a person at a terminal\n.*--flow client_credentials\n.*exit=4/s,
      )
    })
  },
)
