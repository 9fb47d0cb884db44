import { describe, expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase, newDatabase } from '../harness/database.ts'
import { emptyHome } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { newKey, pastPrism, startService } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

describe('keys', () => {
  test('a wrong key is 4', async ({ service }) => {
    const env = { ...service.env, CRM_API_KEY: newKey() }
    const refusal = { exit: 4, code: 'unauthorized', what: /401/, next: /crm auth/ }
    await expectRefusal({ args: ['contacts', 'list'], env }, refusal)
  })

  test('no key is 4', async ({ service }) => {
    const env = emptyHome({ CRM_BASE_URL: service.url })
    await expectRefusal(
      { args: ['contacts', 'list'], env },
      { exit: 4, code: 'no_key', what: new RegExp(`no key for ${service.url}`), next: /CRM_API_KEY|crm auth login/ },
    )
  })

  test('no server is 2', async () => {
    const refusal = { exit: 2, code: 'usage', what: /no server is named/, next: /crm serve/ }
    await expectRefusal({ args: ['contacts', 'list'], env: emptyHome() }, refusal)
  })

  test('a stored key is not sent to another origin: 4', async ({ service }) => {
    const home = emptyHome()
    const login = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin']
    await crmPrints(login, home, service.key)
    const env = { ...home, CRM_BASE_URL: service.url.replace('127.0.0.1', 'localhost') }
    await expectRefusal(
      { args: ['contacts', 'list'], env },
      { exit: 4, code: 'no_key', what: /belongs to .* not sent to http:\/\/localhost/, next: /CRM_API_KEY/ },
    )
  })

  test('-p beside CRM_API_KEY is 2 and names both', async ({ service }) => {
    await expectRefusal(
      { args: ['contacts', 'list', '-p', 'prod'], env: emptyHome({ CRM_API_KEY: service.key }) },
      { exit: 2, code: 'usage', what: /-p prod.*CRM_API_KEY/, next: /unset CRM_API_KEY/ },
    )
  })

  test('plain http to another machine is 2', async ({ service }) => {
    const env = { ...service.env, CRM_BASE_URL: 'http://crm.example.test' }
    const refusal = { exit: 2, code: 'usage', what: /plain http.*crm\.example\.test/, next: /https/ }
    await expectRefusal({ args: ['contacts', 'list'], env }, refusal)
  })

  test('a key that may only read is 5 when it writes', async () => {
    const database = await newDatabase()
    const service = await startService(['--database', database])
    const create = ['serve', 'keys', 'create', '--scopes', 'read', '--database', database, '-o', 'json']
    const { key } = JSON.parse(await crmPrints(create, service.env))
    const env = { ...service.env, CRM_API_KEY: key }
    await expectRefusal(
      { args: ['contacts', 'create', '--set', 'a=b'], env },
      { exit: 5, code: 'forbidden', what: /403/, next: /./ },
    )
    expect((await crm(['contacts', 'list'], env)).exit).toBe(0)
  })

  test('no key is shown by --debug', async ({ service }) => {
    const { stdout, stderr } = await crm(['contacts', 'create', '--set', 'name=x', '--debug'], service.env)
    expect(stderr).toMatch(/POST \/v1\/contacts/)
    expect(stdout + stderr).not.toContain(service.key)
  })
})

describe('the server', () => {
  test('that is down is 9', async () => {
    const env = emptyHome({ CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: newKey() })
    await expectRefusal(
      { args: ['contacts', 'list', '--max-wait', '0s'], env },
      { exit: 9, code: 'unreachable', what: /127\.0\.0\.1:9 refuses connections/, next: /crm serve/ },
    )
  })

  test('that limits for longer than --max-wait is 8', async () => {
    const { env } = await startService(['--rate-limit', '1/3600s'])
    await crm(['contacts', 'list', '--max-wait', '0s'], env)
    const refusal = { exit: 8, code: 'rate_limited', what: /429|limit/, next: /./ }
    await expectRefusal({ args: ['contacts', 'list', '--max-wait', '100ms'], env }, refusal)
  })

  const MISSING = [
    ['contacts', 'get', 'con_00000000000'],
    ['contacts', 'update', 'con_00000000000', '--set', 'a=b'],
    ['deals', 'get', 'deal_00000000000'],
    ['notes', 'add', 'deal_00000000000', '--body', 'x'],
    ['pipelines', 'stages', 'nix'],
  ]
  for (const args of MISSING) {
    test(`without what ${args.slice(0, 2).join(' ')} names is 6`, async ({ service }) => {
      const what = new RegExp(`there is no .*${args[2]}`)
      await expectRefusal({ args, env: service.env }, { exit: 6, code: 'not_found', what, next: /^crm / })
    })
  }

  const INVALID: readonly [string, string[], RegExp, string?][] = [
    ['a stage that does not exist', ['deals', 'create', '--set', 'name=x', '--set', 'stage=Nix'], /"Lead".*"Nix"/],
    ['a deal without a stage', ['deals', 'create', '--set', 'name=x'], /stage/],
    [
      'an amount that is text',
      ['deals', 'create', '--data', '-'],
      /amount/,
      JSON.stringify({ name: 'x', stage: 'Lead', amount: '5' }),
    ],
    ['an event that does not exist', ['webhooks', 'create', '--url', 'http://127.0.0.1:1', '--events', 'nix'], /"nix"/],
    ['a webhook address that is none', ['webhooks', 'create', '--url', 'x', '--events', '*'], /url/],
    ['an invalid cursor', ['contacts', 'list', '--cursor', 'nix'], /cursor/],
  ]
  for (const [title, args, what, input] of INVALID) {
    test(`that refuses ${title} is 7`, async ({ service }) => {
      const code = expect.stringMatching(/^(?:invalid_values|bad_request)$/) as unknown as string
      const command = { args, env: pastPrism(service).env, ...(input !== undefined && { input }) }
      await expectRefusal(command, { exit: 7, code, what, next: /^crm / })
    })
  }
})

test('a filter that the connector does not have is 7, and the next command filters without the server', async ({
  service,
}) => {
  const command = { args: ['deals', 'list', '--filter', 'nix=1'], env: service.env }
  const refusal = {
    what: /crm \(connector\) has no filter "nix"/,
    next: /^crm deals list --where '.nix == "1" or .nix == 1'$/,
  }
  await expectRefusal(command, { exit: 7, code: 'not_supported', ...refusal })
  expect(await crm(['deals', 'list', '--where', '.nix == "1" or .nix == 1'], service.env)).toMatchObject({ exit: 0 })
})

describe('a delete without a terminal', () => {
  test('and without --yes is 11, and deletes nothing', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    await expectRefusal(
      { args: ['contacts', 'delete', id], env: service.env },
      {
        exit: 11,
        code: 'unconfirmed',
        what: new RegExp(`${id}.*--yes`),
        next: new RegExp(`crm contacts delete ${id} .*--yes`),
      },
    )
    expect((await crm(['contacts', 'get', id], service.env)).exit).toBe(0)
  })

  test('of several is 11 with --yes alone, and with another --expect', async ({ service }) => {
    const ids = await make(service, '/v1/contacts', [{ name: 'a' }, { name: 'b' }])
    const args = ['contacts', 'delete', ...ids, '--yes']
    const refusal = { exit: 11, code: 'unconfirmed', what: /2 contacts/, next: /--expect 2/ }
    await expectRefusal({ args, env: service.env }, refusal)
    await expectRefusal({ args: [...args, '--expect', '3'], env: service.env }, refusal)
    for (const id of ids) expect((await crm(['contacts', 'get', id], service.env)).exit).toBe(0)
  })
})

test('an object of crm that the server may describe is 7, and the command is named that asks it', async () => {
  const env = emptyHome({ CRM_CONNECTOR: 'odata', CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: newKey() })
  const refusal = { exit: 7, code: 'not_supported', what: /odata \(connector\) has no companies/, next: /crm objects/ }
  await expectRefusal({ args: ['companies', 'list'], env }, refusal)
})

describe('this machine is in the way: 13', () => {
  test('a port in use', async ({ service }) => {
    const { port } = new URL(service.url)
    const refusal = { exit: 13, code: 'machine', what: new RegExp(`:${port}.*in use`), next: /--port 0/ }
    await expectRefusal(
      { args: ['serve', '--database', await memoryDatabase(), '--port', port], env: emptyHome() },
      refusal,
    )
  })
})
