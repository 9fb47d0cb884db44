import { Buffer } from 'node:buffer'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { tempFolder } from '../harness/home.ts'
import { HAS_PROVIDER, SECRET } from '../oauth/authorization-server.ts'
import { openAuthorized } from '../oauth/signed-up.ts'
import { watchCommandLines } from './command-lines.ts'
import { crm } from './crm.ts'
import { startService } from './service.ts'
import { signInAtTerminal, withBrowser } from './signing-in.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const KEYS = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
/** Of the private key, which is a line of base64 in each notation. */
const OF_KEY = KEYS.privateKey.split('\n')[5] ?? ''
const ROWS = 200
const TOKEN_S = 2

async function opened() {
  const callback = `http://127.0.0.1:${await freePort()}/callback`
  const start = () => startService(['--rate-limit', '60/1s'])
  const terms = { tokenSeconds: TOKEN_S, callback, publicKey: KEYS.publicKey }
  const { authorization, env, file, login, gate } = await openAuthorized(start, terms)
  const outside = tempFolder()
  const [secretFile, keyFile] = [join(outside, 'secret'), join(outside, 'key.pem')]
  writeFileSync(secretFile, SECRET)
  writeFileSync(keyFile, KEYS.privateKey)
  /** The names of the secrets in a text. */
  const heldIn = (text: string) => {
    const known = new Map([...authorization.secrets, [SECRET, 'client_secret'], [OF_KEY, 'private key']])
    const forms = (secret: string) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
    return [...known].flatMap(([secret, name]) => (forms(secret).some((form) => text.includes(form)) ? [name] : []))
  }
  const said: { words: string; text: string; exit: number | string }[] = []
  const run = async (words: readonly string[], input = '') => {
    const { exit, stdout, stderr } = await crm([...words, '--debug', '--max-wait', '5s'], env, input)
    said.push({ words: words.join(' '), text: stdout + stderr, exit })
    return { exit, stdout, stderr }
  }
  const desktop = withBrowser(env)
  let refusals = 0
  const signIn = async (flags: readonly string[], how?: { readonly isPasted: true }) => {
    const words = [...login, '--client-id', 'crm', '--callback', callback, '--flow', 'code', '--debug', ...flags]
    const text = await signInAtTerminal(words, desktop.env, how)
    said.push({ words: words.join(' '), text, exit: Number(/exit=(\d+)/.exec(text)?.[1]) })
  }
  /** A server of tokens that refuses by repeating all that it was sent. */
  const refusing = async (work: () => Promise<unknown>) => {
    authorization.answers = (_, asked) => ({
      ...{
        status: 400,
        body: JSON.stringify({ error: 'invalid_grant', error_description: `you sent ${decodeURIComponent(asked)}` }),
      },
    })
    await work()
    authorization.answers = () => undefined
    const { text = '', exit } = said.at(-1) ?? {}
    expect([exit, heldIn(text), text]).toEqual([4, [], expect.stringContaining('you sent')])
    refusals += 1
  }
  const marked = () =>
    readdirSync(env.HOME, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => heldIn(path + readFileSync(path, 'latin1')).length > 0)
      .map((path) => path.slice(env.HOME.length + 1))
  return {
    authorization,
    env,
    file,
    login,
    gate,
    secretFile,
    keyFile,
    heldIn,
    said,
    run,
    desktop,
    signIn,
    refusing,
    marked,
    refusals: () => refusals,
  }
}

test.skipIf(!HAS_PROVIDER || !HAS_TMUX || !existsSync('/proc/self/cmdline'))(
  'what a sign-in holds is in no output, file or command line but keys.json (skipped without tmux, /proc, or npm ci in tools/judges)',
  async () => {
    const lines = watchCommandLines()
    const { authorization, env, file, login, gate, secretFile, keyFile, heldIn, said, ...rest } = await opened()
    const { run, desktop, signIn, refusing, marked, refusals } = rest
    const ending = () => new Promise((resolve) => setTimeout(resolve, TOKEN_S * 1000))
    const rows = Array.from({ length: ROWS }, (_, at) => `R${at},r${at}@x.test`)
    const csv = file('rows.csv', `name,email\n${rows.join('\n')}\n`)

    await refusing(() => signIn([]))
    expect(marked()).toEqual([])
    await signIn([])
    await run(['auth', 'status'])
    await run(['contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@x.test'])
    await run(['contacts', 'get', 'echo', '-o', 'json'])
    const plan = join(env.HOME, 'rows.plan')
    await run(['contacts', 'import', csv, '--match', 'email', '--plan', plan])
    await run(['plan', 'show', plan])
    const renewals = authorization.asked.length
    await run(['apply', plan, '--yes'])
    expect(authorization.asked.length).toBeGreaterThan(renewals)
    const [{ id: job }] = JSON.parse((await run(['jobs', 'list', '-o', 'json'])).stdout)
    await run(['jobs', 'show', job, '-o', 'json'])
    await run(['auth', 'status', '-o', 'json'])
    const screens = openTerminal(['browse'], env, { columns: 120, rows: 40 })
    said.push({ words: 'browse', text: await screens.sees('@x.test'), exit: 0 })
    screens.press('q')
    expect(marked()).toEqual(['.config/crm/keys.json'])
    await ending()
    await refusing(() => run(['contacts', 'list']))
    await refusing(() => signIn(['--no-browser'], { isPasted: true }))
    await signIn(['--no-browser'], { isPasted: true })

    const client = [...login, '--client-id', 'crm']
    const flows = [
      { words: [...client, '--flow', 'client_credentials', '--client-secret-file', '-'], input: `${SECRET}\n` },
      { words: [...client, '--flow', 'client_credentials', '--client-secret-file', secretFile], input: '' },
      { words: [...client, '--flow', 'jwt', '--jwt-key', keyFile, '--subject', 'ines@x.test'], input: '' },
    ]
    for (const { words, input } of flows) {
      await refusing(() => run(words, input))
      await run(words, input)
      await run(['auth', 'status', '-o', 'json'])
      await ending()
      await refusing(() => run(['contacts', 'list']))
      await run(['contacts', 'list', '-o', 'id'])
    }
    for (const words of [
      ['auth', 'status', '--all'],
      ['config', 'list'],
      ['connectors', 'show', join(env.HOME, 'own.yaml')],
    ])
      await run(words)
    expect(marked()).toEqual(['.config/crm/keys.json'])
    const token = await crm(['auth', 'token', '--debug'], env)
    expect(heldIn(token.stdout)).toEqual(['access_token'])
    said.push({ words: 'auth token', text: token.stderr, exit: token.exit })
    await run(['auth', 'logout'])
    expect(marked()).toEqual([])

    // Each refusal, and a contact that is not there.
    expect(said.filter(({ exit }) => exit !== 0).length).toBe(refusals() + 1)
    expect(said.flatMap(({ words, text }) => heldIn(text).map((name) => `${words}: ${name}`))).toEqual([])
    expect([...new Set(authorization.secrets.values())].toSorted()).toEqual([
      ...['access_token', 'assertion', 'client_secret', 'code', 'code_verifier', 'refresh_token'],
    ])
    expect(lines.all().flatMap((line) => heldIn(line).map((name) => `${line}: ${name}`))).toEqual([])
    expect([lines.seen() > 20, lines.all().some((line) => line.includes('code_challenge='))]).toEqual([true, true])
    expect(heldIn(desktop.calls())).toEqual([])
  },
)
