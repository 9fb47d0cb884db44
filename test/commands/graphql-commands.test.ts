import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { type Service, startService } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

async function makeDeal(service: Service): Promise<string> {
  const [id = ''] = await make(service, '/v1/deals', [{ name: 'Big', stage: 'Lead', amount: 5, extra: { a: 1 } }])
  return id
}

const json = async (args: readonly string[], service: Service, input?: string) =>
  JSON.parse(await crmPrints([...args, '-o', 'json'], service.env, input))

describe('point reads', () => {
  test('get a contact and a deal whole, in one request whatever their number', async ({ service }) => {
    const [contact = ''] = await make(service, '/v1/contacts', [{ name: 'Ada', vip: true, n: 1 }])
    await make(
      service,
      '/v1/contacts',
      Array.from({ length: 120 }, (_, n) => ({ n })),
    )
    expect(await json(['contacts', 'get', contact], service)).toMatchObject({ id: contact, name: 'Ada', vip: true })
    const deal = await makeDeal(service)
    expect(await json(['deals', 'get', deal], service)).toMatchObject({ id: deal, amount: 5, extra: { a: 1 } })
    const { stderr } = await crm(['contacts', 'get', contact, '--debug'], service.env)
    expect(stderr.match(/^debug: /gm)).toHaveLength(1)
    for (const noun of ['contact', 'deal']) {
      await expectRefusal(
        { args: [`${noun}s`, 'get', 'x_none'], env: service.env },
        { exit: 6, code: 'not_found', what: new RegExp(`there is no ${noun} "x_none"`), next: /list/ },
      )
    }
  })
})

describe('deals update', () => {
  test('changes what is named, clears with null, and prints the deal', async ({ service }) => {
    const deal = await makeDeal(service)
    const args = ['deals', 'update', deal, '--set', 'stage=Won', '--set', 'amount:=7.25', '--set', 'extra:=null']
    const updated = await json(args, service)
    expect(updated).toMatchObject({ id: deal, name: 'Big', stage: 'Won', amount: 7.25, version: 2 })
    expect(updated).not.toHaveProperty('extra')
  })

  test('happens once under one key, and only at the version that is expected', async ({ service }) => {
    const deal = await makeDeal(service)
    const once = ['deals', 'update', deal, '--set', 'stage=Won', '--idempotency-key', `u-${deal}`]
    expect(await json(once, service)).toEqual(await json(once, service))
    await expectRefusal(
      { args: ['deals', 'update', deal, '--set', 'stage=Lost', '--if-match', '1'], env: service.env },
      {
        exit: 7,
        code: 'precondition_failed',
        what: /version 2, expected 1/,
        next: new RegExp(`crm deals get ${deal}`),
      },
    )
    expect(await json(['deals', 'update', deal, '--set', 'stage=Lost', '--if-match', '2'], service)).toMatchObject({
      version: 3,
    })
  })

  test('is refused for values that a deal cannot have, and for a deal that is not there', async ({ service }) => {
    const deal = await makeDeal(service)
    await expectRefusal(
      { args: ['deals', 'update', deal, '--set', 'stage=Nope'], env: service.env },
      { exit: 7, code: 'invalid_values', what: /stage: expected one of "Lead"/, next: /crm deals update --help/ },
    )
    await expectRefusal(
      { args: ['deals', 'update', 'deal_none', '--set', 'stage=Won'], env: service.env },
      { exit: 6, code: 'not_found', what: /there is no deal "deal_none"/, next: /crm deals list/ },
    )
  })

  test('--dry-run shows from and to, and changes nothing', async ({ service }) => {
    const deal = await makeDeal(service)
    const args = [
      'deals',
      'update',
      deal,
      '--set',
      'stage=Won',
      '--set',
      'amount:=5',
      '--dry-run',
      '--exit-code',
      '-o',
      'json',
    ]
    const { exit, stdout } = await crm(args, service.env)
    expect(exit).toBe(10)
    expect(JSON.parse(stdout)).toMatchObject({ id: deal, changes: { stage: { from: 'Lead', to: 'Won' } } })
    expect(await json(['deals', 'get', deal], service)).toMatchObject({ stage: 'Lead', version: 1 })
  })
})

describe('lists', () => {
  test('of notes, pipelines and subscriptions, whole and in every format', async ({ service }) => {
    const deal = await makeDeal(service)
    const notes = await make(
      service,
      `/v1/deals/${deal}/notes`,
      Array.from({ length: 3 }, (_, n) => ({ body: `n${n}` })),
    )
    expect(await crmPrints(['notes', 'list', deal, '-o', 'id'], service.env)).toBe(`${notes.toReversed().join('\n')}\n`)
    const first = await crm(['notes', 'list', deal, '--limit', '1', '-o', 'id'], service.env)
    const cursor = first.stderr.trim().split(' ').at(-1) ?? ''
    const rest = await crmPrints(['notes', 'list', deal, '--cursor', cursor, '-o', 'id'], service.env)
    expect(first.stdout + rest).toBe(`${notes.toReversed().join('\n')}\n`)
    expect(await json(['pipelines', 'stages', 'sales', '--jq', 'map(.name)'], service)).toContain('Won')
    expect(await crmPrints(['pipelines', 'list', '-o', 'csv', '--fields', 'id,name'], service.env)).toBe(
      'id,name\r\nsales,Sales\r\n',
    )
    const [webhook] = await make(service, '/v1/webhooks', [{ url: 'http://127.0.0.1:1/', events: ['deal.updated'] }])
    const listed = await json(['webhooks', 'list', '--where', `.id == "${webhook}"`], service)
    expect(listed).toMatchObject([{ id: webhook, url: 'http://127.0.0.1:1/', status: 'enabled' }])
    expect(JSON.stringify(listed)).not.toContain('whsec_')
  })
})

describe('crm graphql', () => {
  test('takes a query from the argument, a file and stdin, with variables, and prints the answer unchanged', async ({
    service,
  }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const query = 'query ($id: ID!, $n: Int = 1) { contact(id: $id) { name } contacts(first: $n) { nodes { id } } }'
    const file = join(tempFolder(), 'query.graphql')
    writeFileSync(file, query)
    const expected = { data: { contact: { name: 'Ada' }, contacts: { nodes: [{ id }] } } }
    for (const [words, input] of [
      [[query], ''],
      [[`@${file}`], ''],
      [['-'], query],
    ] as const) {
      const text = await crmPrints(['graphql', ...words, '-f', `id=${id}`, '-F', 'n:=1'], service.env, input)
      expect(text).toBe(`${JSON.stringify(expected)}\n`)
    }
    const jq = ['graphql', query, '-f', `id=${id}`, '--jq', '.data.contact.name']
    expect(await crmPrints(jq, service.env)).toBe('Ada\n')
  })

  test('errors are exit 7 despite HTTP 200, with the answer on stdout; --allow-partial accepts partial data', async ({
    service,
  }) => {
    const partly =
      'mutation { a: createContact(input: {name: "p"}) { contact { name } } b: deleteContact(input: {id: "x"}) { deletedId } }'
    const confirmed = ['graphql', partly, '--yes']
    const { exit, stdout, stderr } = await crm(confirmed, service.env)
    expect(exit).toBe(7)
    const { data, errors } = JSON.parse(stdout)
    expect(errors[0].message).toContain('there is no contact "x"')
    expect(stderr).toMatch(/^crm: the answer contains errors: there is no contact "x"\n {2}\S.*\n$/)
    if (data) expect((await crm([...confirmed, '--allow-partial'], service.env)).exit).toBe(0)
    const nothing = 'mutation { deleteContact(input: {id: "x"}) { deletedId } }'
    const none = await crm(['graphql', nothing, '--yes', '--allow-partial'], service.env)
    expect(none).toMatchObject({ exit: 7, stderr: expect.stringMatching(/\n {2}correct the query/) })
    await expectRefusal(
      { args: ['graphql', 'query A { a } query B { b }'], env: service.env },
      { exit: 2, code: 'usage', what: /2 operations: A, B/, next: /--operation/ },
    )
    const invalid = await crm(['graphql', '{ nope }', '--allow-partial'], service.env)
    expect(invalid.exit).toBe(7)
  })

  test('--paginate makes one document of all pages', async () => {
    const service = await startService()
    const ids = await make(
      service,
      '/v1/contacts',
      Array.from({ length: 7 }, (_, n) => ({ name: `n${n}` })),
    )
    const query = (variable: string) =>
      `query ($${variable}: String) { contacts(first: 3, after: $${variable}) { nodes { id } edges { cursor } pageInfo { hasNextPage endCursor } } }`
    for (const variable of ['after', 'endCursor', 'cursor']) {
      const { data } = await json(['graphql', query(variable), '--paginate'], service)
      expect(data.contacts.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
      expect(data.contacts.edges).toHaveLength(7)
      expect(data.contacts.pageInfo.hasNextPage).toBe(false)
    }
    const two = `query ($after: String) { contacts(first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
      deals { nodes { id } pageInfo { hasNextPage endCursor } } }`
    await expectRefusal(
      { args: ['graphql', two, '--paginate'], env: service.env },
      { exit: 2, code: 'usage', what: /finds several lists: contacts, deals/, next: /--page-path contacts/ },
    )
    const chosen = await json(['graphql', two, '--paginate', '--page-path', 'contacts.pageInfo'], service)
    expect(chosen.data.contacts.nodes).toHaveLength(7)
  })

  test('a mutation happens once under its key, is not sent in a dry run, and asks before it deletes', async ({
    service,
  }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'gone' }])
    const create = 'mutation ($name: String) { createContact(input: {name: $name}) { contact { id } } }'
    const once = ['graphql', create, '-f', 'name=once', '--idempotency-key', `g-${id}`]
    expect(await crmPrints(once, service.env)).toBe(await crmPrints(once, service.env))
    const remove = [
      'graphql',
      'mutation ($id: ID!) { gone: deleteContact(input: {id: $id}) { deletedId } }',
      '-f',
      `id=${id}`,
    ]
    expect((await crm([...remove, '--dry-run', '--exit-code'], service.env)).exit).toBe(10)
    await expectRefusal(
      { args: remove, env: service.env },
      { exit: 11, code: 'unconfirmed', what: /deleteContact.*needs --yes/, next: /--yes$/ },
    )
    const hidden = `mutation { ...F } fragment F on Mutation { deleteContact(input: {id: "${id}"}) { deletedId } }`
    await expectRefusal(
      { args: ['graphql', hidden], env: service.env },
      { exit: 11, code: 'unconfirmed', what: /deleteContact.*needs --yes/, next: /--yes$/ },
    )
    expect(await json([...remove, '--yes'], service)).toEqual({ data: { gone: { deletedId: id } } })
  })

  test('a key without the scope is refused as everywhere, and a connector or an address without GraphQL is exit 7', async ({
    service,
  }) => {
    const env = { ...service.env, CRM_API_KEY: 'crm_key_unknown' }
    expect((await crm(['graphql', '{ __typename }'], env)).exit).toBe(4)
    const elsewhere = { ...service.env, CRM_BASE_URL: `${service.url}/elsewhere` }
    await expectRefusal(
      { args: ['graphql', '{ __typename }'], env: elsewhere },
      { exit: 7, code: 'bad_answer', what: /\/elsewhere\/v1\/graphql answers 404/, next: /crm connectors show crm/ },
    )
    for (const words of [['{ __typename }'], ['--sdl'], ['mutation { a }']]) {
      await expectRefusal(
        { args: ['graphql', ...words], env: { ...service.env, CRM_CONNECTOR: 'contract' } },
        {
          exit: 7,
          code: 'not_supported',
          what: /contract \(connector\) has no GraphQL/,
          next: /connectors show contract/,
        },
      )
    }
  })
})
