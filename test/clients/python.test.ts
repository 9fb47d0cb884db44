import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../../scripts/clients/conformance/run-suite.ts'
import { type Language, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { tempFolder } from '../harness/home.ts'
import { examplesIn, withService } from './examples.ts'

const PYTHON = '/usr/bin/python3'
const PACKAGE = fileURLToPath(new URL('../../clients/python', import.meta.url))
const run = promisify(execFile)

const isThere = isInstalled(readLanguages().python as Language)
const hasBuild = isThere && spawnSync(PYTHON, ['-c', 'import build, setuptools, wheel']).status === 0
const hasMypy = isThere && spawnSync(PYTHON, ['-m', 'mypy', '--version']).status === 0

const EXAMPLES = examplesIn(join(PACKAGE, 'README.md'), 'python')

function exampleFile(code: string): string {
  const file = join(tempFolder(), 'example.py')
  writeFileSync(file, code)
  return file
}

describe.skipIf(!isThere)(`the examples in README.md${isThere ? '' : ' (skipped: Python is not installed)'}`, () => {
  test.each(EXAMPLES.map((code, at) => [at + 1, code] as const))('number %i runs', async (_, code) => {
    await withService(async (service) => {
      const env = { ...service, PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error' }
      await run(PYTHON, [exampleFile(code)], { env })
    })
  })
})

/** `openssl` makes the certificate; a proxy leads each CONNECT to a server of this test that has it. */
async function withProxy(use: (proxy: string, cafile: string) => Promise<void>): Promise<readonly string[]> {
  const [key, cafile] = [join(tempFolder(), 'key.pem'), join(tempFolder(), 'ca.pem')]
  const subject = ['-subj', '/CN=crm.example.test', '-addext', 'subjectAltName=DNS:crm.example.test']
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cafile]
  await run('openssl', ['req', '-x509', ...made, ...subject])
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cafile) }, (_, response) =>
    response.end('{"data":[{"id":7}]}'),
  ).listen(0, '127.0.0.1')
  const seen: string[] = []
  const proxy = createServer().on('connect', (request, socket: Duplex) => {
    const account = request.headers['proxy-authorization'] ?? ''
    seen.push(`${request.url} ${Buffer.from(account.replace('Basic ', ''), 'base64')} ${request.headers.authorization}`)
    if (account === '') return socket.end('HTTP/1.1 407 \u001b[31m\r\n\r\n')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const inner = connect((server.address() as AddressInfo).port, '127.0.0.1')
    // The client may leave in the middle, where it does not trust the server.
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
    return socket.pipe(inner).pipe(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  try {
    await use(`127.0.0.1:${(proxy.address() as AddressInfo).port}`, cafile)
  } finally {
    proxy.close()
    server.close()
  }
  return seen
}

describe.skipIf(!isThere)('the client', () => {
  test.skipIf(spawnSync('openssl', ['version']).error)(
    'uses the proxy and the authorities of the environment, or those that are passed in',
    async () => {
      const list = (options: string) => `import ssl
from crm_client import Client
print([one["id"] for one in Client("https://crm.example.test", "key", max_wait=0${options}).contacts.list()])`
      const env = { PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: '1' }
      const seen = await withProxy(async (proxy, cafile) => {
        const url = `http://me:p%40ss@${proxy}`
        const ofEnv = await run(PYTHON, ['-c', list('')], { env: { ...env, HTTPS_PROXY: url, SSL_CERT_FILE: cafile } })
        const passed = list(`, proxy="${url}", ssl_context=ssl.create_default_context(cafile="${cafile}")`)
        const byCode = await run(PYTHON, ['-c', passed], { env: { ...env, HTTPS_PROXY: 'http://127.0.0.1:1' } })
        expect([ofEnv.stdout, byCode.stdout]).toEqual(["['7']\n", "['7']\n"])
        const refused = run(PYTHON, ['-c', list(`, proxy="${proxy}"`)], { env })
        await expect(refused).rejects.toThrow(`the proxy answered 407, through the proxy ${proxy}`)
        const unknown = run(PYTHON, ['-c', list(`, proxy="${url}"`)], { env })
        await expect(unknown).rejects.toThrow('no TLS connection')
      })
      const tunnel = 'crm.example.test:443 me:p@ss undefined'
      expect(seen).toEqual([tunnel, tunnel, 'crm.example.test:443  undefined', tunnel])
    },
  )

  test('sends any request and GraphQL, and refuses what would lead the key elsewhere', async () => {
    const code = `import json
from crm_client import Client, CrmError, InvalidInput, NotFound, dumps
with Client() as crm:
    deal = crm.deals.create({"name": "E", "stage": "Lead", "amount": 1200.55})
    assert json.loads(json.dumps(deal, default=float)) == json.loads(dumps(deal))
    answer = crm.request("GET", "/v1/deals?limit=1", query={"name": "E"})
    assert (answer.status, answer.json["data"][0]["id"]) == (200, deal["id"]), answer
    key = {"body": {"name": "A"}, "idempotency_key": "k"}
    assert crm.request("POST", "/v1/contacts", **key).json == crm.request("POST", "/v1/contacts", **key).json
    assert crm.graphql("query ($id: ID!) { deal(id: $id) { name } }", {"id": deal["id"]}) == {"deal": {"name": "E"}}
    for call, error in [
        (lambda: crm.graphql("{ nope }"), CrmError),
        (lambda: crm.request("GET", "/v1/contacts/none"), NotFound),
        (lambda: crm.request("GET", "https://other.example.test/"), InvalidInput),
        (lambda: crm.request("GET", "/v1/contacts", headers={"Host": "other"}), InvalidInput),
    ]:
        try:
            raise AssertionError(call())
        except error as failure:
            assert type(failure) is error, failure
`
    await withService(async (service) => {
      await run(PYTHON, ['-c', code], { env: { ...service, PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: '1' } })
    })
  })
})

describe.skipIf(!hasBuild)(
  `the package${hasBuild ? '' : ' (skipped: python3-build or python3-wheel is not installed)'}`,
  () => {
    test('is built by what Debian has, and imported with its types from the wheel', async () => {
      const folder = join(tempFolder(), 'python')
      cpSync(PACKAGE, folder, { recursive: true })
      await run(PYTHON, ['-m', 'build', '--no-isolation'], { cwd: folder })
      const made = readdirSync(join(folder, 'dist')).toSorted()
      expect(made).toEqual(['crm-client-0.1.0.tar.gz', 'crm_client-0.1.0-py3-none-any.whl'])
      const wheel = join(folder, 'dist', made[1] ?? '')
      const code = `import crm_client, importlib.metadata as m, importlib.resources as r
print(crm_client.__version__, r.files(crm_client).joinpath("py.typed").is_file())
print("MIT License" in m.distribution("crm-client").read_text("LICENSE"), m.metadata("crm-client").get_all("Classifier")[-1])`
      const { stdout } = await run(PYTHON, ['-c', code], { env: { PYTHONPATH: wheel } })
      expect(stdout).toBe('0.1.0 True\nTrue Typing :: Typed\n')
    })
  },
)

describe.skipIf(!hasMypy)(`types${hasMypy ? '' : ' (skipped: python3-mypy is not installed)'}`, () => {
  const check = (...files: readonly string[]) => {
    const args = ['-m', 'mypy', '--strict', '--cache-dir', tempFolder(), ...files]
    const { status, stdout } = spawnSync(PYTHON, args, { env: { MYPYPATH: PACKAGE }, cwd: PACKAGE, encoding: 'utf8' })
    return { status, stdout }
  }

  test('mypy --strict has nothing to say about the client', () => {
    expect(check('crm_client')).toEqual({ status: 0, stdout: expect.stringContaining('no issues found') })
  })

  test('mypy --strict accepts the examples', () => {
    for (const code of EXAMPLES) expect(check(exampleFile(code))).toMatchObject({ status: 0 })
  })

  test('mypy finds misspelt members and an amount that is text', () => {
    const code = `from crm_client import Client; from crm_client.resources import NewContact
Client().deals.create({"name": "Engine", "stag": "Lead"})
Client().deals.create({"name": "Engine", "stage": "Lead", "amount": "5"})
print(Client().records("machines", NewContact).get("machine_1")["nme"])
`
    const { stdout } = check(exampleFile(code))
    expect(stdout).toMatch(
      /example\.py:2: error: .*\n(?:.*\n)*?.*example\.py:3: error: .*\n(?:.*\n)*?.*example\.py:4: error: /,
    )
  })
})
