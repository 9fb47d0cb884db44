import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import type { Service } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

/** A person with two profiles, of which `main` is active, in a repository with this `.crm.toml`. */
async function person(service: Service, toml: string) {
  const home = emptyHome()
  for (const name of ['staging', 'main']) {
    const args = ['auth', 'login', '--base-url', service.url, '-p', name, '--use', '--storage', 'file', '--key-stdin']
    await crmPrints(args, home, service.key)
  }
  const folder = tempFolder()
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.crm.toml'), toml)
  return { home, folder, run: (...args: string[]) => crm(args, home, '', folder) }
}

test('.crm.toml selects the profile and the format of lists; stderr states the choice, and --debug names the file', async ({
  service,
}) => {
  const { folder, run } = await person(service, 'profile = "staging"\noutput = "jsonl"\n')
  const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
  const path = join(folder, '.crm.toml')
  const said = `Profile staging (${service.url}), selected by ${path}.\n`
  const list = await run('contacts', 'list', '--limit', '1')
  expect(JSON.parse(list.stdout)).toMatchObject({ id })
  expect(list.stderr).toContain(said)
  expect(await run('contacts', 'list', '-o', 'id', '--limit', '1', '-q')).toEqual({
    exit: 0,
    stdout: `${id}\n`,
    stderr: '',
  })
  expect((await run('contacts', 'update', id, '--set', 'vip:=true')).stderr).toContain(said)
  expect((await run('auth', 'status', '-o', 'json')).stdout).toContain('"profile": "staging"')
  const debug = await run('contacts', 'list', '--debug')
  expect(debug.stderr).toContain(`debug: read ${path}: profile staging, output jsonl\n`)
})

test('settings are changed in the selected profile, whatever .crm.toml contains', async ({ service }) => {
  const { home, run } = await person(service, 'profile = "staging"')
  await run('config', 'set', 'page_size', '7')
  expect(await crmPrints(['config', 'get', 'page_size', '-p', 'main'], home)).toBe('7\n')
  await run('auth', 'logout')
  expect((await crm(['auth', 'token', '-p', 'main'], home)).exit).toBe(4)
  expect((await crm(['auth', 'token', '-p', 'staging'], home)).exit).toBe(0)
})

test('a .crm.toml with more than that is exit 2 before anything is sent, and does not affect other commands', async ({
  service,
}) => {
  const { run } = await person(service, 'profile = "staging"\nbase_url = "https://evil.example"\n')
  const { exit, stdout, stderr } = await run('contacts', 'list')
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toMatch(/^crm: .*\.crm\.toml, line 2: base_url is not allowed in a repository/)
  expect((await run('config', 'path')).exit).toBe(0)
  expect((await run('contacts', 'list', '--help')).exit).toBe(0)
})

test('a protected server is not chosen by a repository', async ({ service }) => {
  const { run } = await person(service, 'profile = "staging"')
  await run('config', 'set', 'protected', 'true', '-p', 'main')
  expect(await run('contacts', 'create', '--set', 'name=x')).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/names the profile staging, whose server is protected.*\n {2}.*-p staging\n$/),
  })
  expect((await run('contacts', 'create', '--set', 'name=x', '-p', 'staging')).exit).toBe(0)
})
