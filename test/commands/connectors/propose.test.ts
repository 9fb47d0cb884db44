import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { connectorAt, connectorDocument } from '../../../src/api/connectors/open-connector.ts'
import { shippedNames, shippedOrigin } from '../../../src/connector/shipped.ts'
import { run } from '../../../src/program.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'

const LOGIN = ['auth', 'login', '--no-verify', '--storage', 'file', '-p', 'work', '--base-url']

/** At a terminal, where the proposal gets this answer. */
async function logInAsked(url: string, answer: string) {
  const home = emptyHome()
  const key = join(tempFolder(), 'key')
  writeFileSync(key, 'key_of_the_test\n', { mode: 0o600 })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let stderr = ''
  const write = (text: string) => {
    stderr += text
    if (text.endsWith('[y/N] ')) stdin.write(`${answer}\n`)
    return true
  }
  const io = { stdin, stdout: { write: () => true }, stderr: { write, isTTY: true } }
  const argv = [...LOGIN, url, '--key-file', key]
  const signal = new AbortController().signal
  const exit = await run(argv, { io, env: home, now: Date.now, signal, version: '0.0.0', argv })
  const setting = (name: string) => crmPrints(['config', 'get', name, '-p', 'work'], home)
  return { exit, stderr, setting }
}

test('a login at the host of a vendor proposes its connector, with its path and the variables of the host', async () => {
  const { exit, stderr, setting } = await logInAsked('https://acme.pipedrive.com', 'y')
  expect(exit, stderr).toBe(0)
  expect(stderr).toContain('acme.pipedrive.com is Pipedrive, for which crm ships a connector. Use it? [y/N] ')
  expect(await setting('connector')).toBe('pipedrive\n')
  expect(await setting('base_url')).toBe('https://acme.pipedrive.com/api/v2\n')
  expect(await setting('connector_vars')).toBe('company=acme\n')
})

test('a proposal that is not taken changes nothing, and other hosts get none', async () => {
  const { setting } = await logInAsked('https://api.hubapi.com', 'n')
  expect(await setting('connector')).toBe('\n')
  expect(await setting('base_url')).toBe('https://api.hubapi.com\n')
  for (const url of ['https://pipedrive.com', 'https://api.attio.com.evil.example', 'https://a.b.pipedrive.com'])
    expect(connectorAt(new URL(url)), url).toBeUndefined()
  expect((await logInAsked('https://crm.example.com', 'y')).stderr).not.toContain('connector')
})

test('without a terminal, a note names the connector', async () => {
  const { exit, stderr } = await crm([...LOGIN, 'https://api.attio.com', '--key-stdin'], emptyHome(), 'key_of_the_test')
  expect(exit).toBe(0)
  expect(stderr).toContain(
    'api.attio.com is Attio, for which crm ships a connector: crm auth login --connector attio\n',
  )
})

test('the origin that a login looks at is that of the whole connector, for each shipped one', async () => {
  const documents = await Promise.all(
    shippedNames().map(async (name) => [name, (await connectorDocument({ name })).origin] as const),
  )
  expect(shippedNames().map((name) => [name, shippedOrigin(name)])).toEqual(documents)
  expect(documents.filter(([, origin]) => origin !== undefined)).not.toEqual([])
})
