import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { signInByCode } from '../../src/oauth/sign-in.ts'
import { fetchThrough } from '../../src/oauth/through-connections.ts'
import { keepInFile } from '../../src/settings/keep-key.ts'
import { oauthLoginText } from '../../src/settings/oauth-login.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome } from '../harness/home.ts'
import { agree, HAS_PROVIDER, SECRET, startAuthorization, startGate } from '../oauth/authorization-server.ts'
import { openAuthorized } from '../oauth/signed-up.ts'
import { crm, crmPrints, startCrm } from './crm.ts'
import { startService } from './service.ts'
import { signInAtTerminal, withBrowser } from './signing-in.ts'
import { HAS_TMUX } from './terminal.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const PROCESSES = 4
const ROWS = 1250
const KILLS = 10
const TOKEN_S = 5

// Four imports share one sign-in, whose refresh token changes with each renewal, and are killed.
test.skipIf(!HAS_PROVIDER)(
  `${PROCESSES * ROWS} rows, tokens of ${TOKEN_S} s, ${PROCESSES} processes, ${KILLS} kills: every row once, each token renewed once`,
  { timeout: 600_000 },
  async () => {
    const service = await startService(['--rate-limit', '1000/1s'])
    const callback = new URL(`http://127.0.0.1:${await freePort()}/callback`)
    const authorization = await startAuthorization({ tokenSeconds: TOKEN_S, callback: callback.href }, onTestFinished)
    const gate = await startGate(authorization, service, onTestFinished)
    const env = emptyHome()
    const connector = join(env.HOME ?? '', 'own.yaml')
    const oauth = `{ authorize: ${authorization.url}/auth, token: ${authorization.url}/token, flows: [code] }`
    writeFileSync(
      connector,
      `connector: 2\nname: own\nextends: crm\nauth: { in: bearer, oauth: ${oauth} }\nidempotency: { life: 1s }\n`,
    )
    for (const words of [
      ['base_url', gate.url],
      ['connector', connector],
    ]) {
      await crmPrints(['config', 'set', ...words, '-p', 'own'], env)
    }
    await crmPrints(['auth', 'switch', 'own'], env)
    let signIns = 0
    const signIn = async () => {
      signIns += 1
      const shown = Promise.withResolvers<string>()
      const signal = new AbortController().signal
      const signed = signInByCode({
        login: {
          flow: 'code',
          token: `${authorization.url}/token`,
          client: 'crm',
          secret: SECRET,
          scopes: ['crm.write'],
        },
        server: { issuer: authorization.url, authorize: `${authorization.url}/auth`, scopes_by: ' ' },
        ...{ parameters: {}, callback, signal, now: Date.now, ask: undefined },
        fetch: fetchThrough({ timeoutMs: 5000, env: {}, signal }),
        show: async (address) => shown.resolve(address.href),
      })
      await fetch(await agree(await shown.promise))
      const key = oauthLoginText(await signed)
      await keepInFile(openSettings(env), 'own', { origin: new URL(gate.url).origin, key }, () => {})
    }
    await signIn()

    const children = new Map<number, ChildProcess>()
    let [kills, refusals] = [0, 0]
    let mending: Promise<void> | undefined
    const importPart = async (part: number): Promise<unknown> => {
      const file = join(env.HOME ?? '', `part${part}.csv`)
      const rows = Array.from({ length: ROWS }, (_, at) => `P${part}-${at},p${part}-${at}@x.test`)
      writeFileSync(file, `name,email\n${rows.join('\n')}\n`)
      const args = ['contacts', 'import', file, '--match', 'email', '--yes', '--rate-share', '20%', '-o', 'json']
      for (;;) {
        const child = spawn(process.execPath, [CRM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
        children.set(part, child)
        const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
        children.delete(part)
        if (child.signalCode === 'SIGKILL') continue
        if (child.exitCode !== 4) {
          expect(child.exitCode, stderr).toBe(0)
          return JSON.parse(stdout)
        }
        // A kill came between the server's new refresh token and ours on disk: one sign-in mends it for all.
        expect(stderr).toMatch(/crm auth login/)
        refusals += 1
        if (refusals > kills * PROCESSES) throw new Error(stderr)
        mending ??= signIn().finally(() => {
          mending = undefined
        })
        await mending
      }
    }
    const killer = setInterval(() => {
      const running = [...children.values()]
      if (kills === KILLS || running.length === 0) return
      kills += 1
      running[kills % running.length]?.kill('SIGKILL')
    }, 2000)
    onTestFinished(() => clearInterval(killer))
    const startMs = performance.now()
    await Promise.all(Array.from({ length: PROCESSES }, (_, part) => importPart(part)))
    const tookMs = performance.now() - startMs
    clearInterval(killer)

    expect(kills).toBe(KILLS)
    const list = await crmPrints(['contacts', 'list', '-o', 'json'], service.env)
    const emails = (JSON.parse(list) as Record<string, unknown>[]).map(({ email }) => email)
    expect([emails.length, new Set(emails).size]).toEqual([PROCESSES * ROWS, PROCESSES * ROWS])
    const renewals = authorization.asked.filter(
      ({ grant, status }) => grant === 'refresh_token' && status === 200,
    ).length
    // Each token that was given was sent, and none was asked for twice.
    expect(renewals + signIns).toBeLessThanOrEqual(gate.tokens.size + kills)
    expect(gate.tokens.size).toBeGreaterThan(3)
    // A token is renewed in the last tenth of its life, by one of the processes.
    expect(renewals).toBeLessThanOrEqual(tookMs / (TOKEN_S * 900) + kills + 1)
  },
)

// One kill each, at the three moments of a renewal.
describe.skipIf(!HAS_PROVIDER || !HAS_TMUX)(
  'a kill at a renewal (skipped without tmux, or npm ci in tools/judges)',
  () => {
    test.each([
      ['before the server has changed the refresh token', 0],
      ['between that and the answer', 1],
      ['not at all, but a lost connection between that and the answer', 1],
      ['when the new tokens are on disk', 0],
    ] as const)('%s costs %i sign-ins, and no row', async (moment, cost) => {
      // The server lets the port of a loopback address vary, but not its path.
      const callback = `http://127.0.0.1:${await freePort()}/signed-in`
      const start = () => startService(['--rate-limit', '60/1s'])
      const { service, authorization, env, file, login, kept } = await openAuthorized(start, {
        tokenSeconds: 3,
        callback,
      })
      const desktop = withBrowser(env).env
      const words = [...login, '--client-id', 'crm', '--callback', callback]
      expect(await signInAtTerminal(words, desktop)).toContain('exit=0')
      const rows = Array.from({ length: 400 }, (_, at) => `R${at},r${at}@x.test`)
      const csv = file('rows.csv', `name,email\n${rows.join('\n')}\n`)
      const child = startCrm(['contacts', 'import', csv, '--match', 'email', '--yes'], env)
      const kill = async () => {
        child.kill('SIGKILL')
        await child.done
        return false
      }
      const isKilled = !moment.startsWith('not')
      let lost = 0
      if (!isKilled) authorization.beforeAnswer = (grant) => grant === 'refresh_token' && lost++ === 0
      else if (cost === 1) authorization.beforeAnswer = (grant) => (grant === 'refresh_token' ? kill() : false)
      else if (moment.startsWith('before'))
        authorization.answers = () => {
          child.kill('SIGKILL')
          return { status: 503, body: '{}' }
        }
      else {
        const before = kept()
        const timer = setInterval(() => kept() !== before && child.kill('SIGKILL'), 1)
        onTestFinished(() => clearInterval(timer))
      }
      expect((await child.done).exit).toBe(isKilled ? 'SIGKILL' : 4)
      authorization.answers = () => undefined
      authorization.beforeAnswer = () => false
      const [{ id: job }] = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
      const first = await crm(['jobs', 'resume', job], env)
      expect(first.exit).toBe(cost === 0 ? 0 : 4)
      if (cost === 1) {
        // As typed: the client, its secret and its callback are known.
        const [, typed = ''] = /(?:^|\s)crm (auth login .*)$/m.exec(first.stderr) ?? []
        expect(await signInAtTerminal(typed.split(' '), desktop)).toContain('exit=0')
        expect(await crm(['jobs', 'resume', job], env)).toMatchObject({ exit: 0 })
      }
      const list = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], service.env))
      const emails = list.map(({ email }: { email: string }) => email)
      expect([emails.length, new Set(emails).size]).toEqual([rows.length, rows.length])
    })
  },
)
