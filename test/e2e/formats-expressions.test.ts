import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { all, make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { countRequests } from '../harness/request-counter.ts'
import { startService } from '../harness/service.ts'
import { loadedBy } from './loaded-modules.ts'

async function withContacts(count: number) {
  const service = await startService()
  await make(
    service,
    '/v1/contacts',
    [...Array(count).keys()].toReversed().map((n) => ({ name: `n${n}`, n })),
  )
  return service
}

describe('--where', () => {
  test('keeps the records for which it is true, over pages and in every format', async () => {
    const { env } = await withContacts(120)
    const list = (...args: string[]) => crmPrints(['contacts', 'list', '--where', '.n % 50 == 0', ...args], env)
    expect(await list('--jq', 'map(.n)', '-o', 'json')).toBe('[\n  0,\n  50,\n  100\n]\n')
    expect(await list('-o', 'csv', '--fields', 'n')).toBe('n\r\n0\r\n50\r\n100\r\n')
    expect(await list('-o', 'table', '--fields', 'name')).toBe('NAME\nn0\nn50\nn100\n')
    expect((await list('-o', 'id')).split('\n')).toHaveLength(4)
  })

  test('is what --limit counts behind, and the note leads on', async () => {
    const { env } = await withContacts(520)
    const where = ['contacts', 'list', '--where', '.n % 50 == 5', '--jq', '.n', '-o', 'jsonl']
    const cut = await crm([...where, '--limit', '3'], env)
    expect(cut).toMatchObject({ exit: 0, stdout: '5\n55\n105\n' })
    expect(cut.stderr).toMatch(/^The first 3; there are more: crm contacts list .* --limit 6\n$/)
    const atTheEndOfItsPage = await crm([...where, '--limit', '10'], env)
    expect(atTheEndOfItsPage.stderr).toMatch(/^The first 10; there may be more: crm contacts list .* --cursor \S+\n$/)
    const all = await crm([...where, '--limit', '12'], env)
    expect(all).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^5\n(?:.*\n){9}505\n$/) })
  })

  test('that matches nothing reports it, and succeeds', async () => {
    const { env } = await withContacts(1)
    const run = await crm(['contacts', 'list', '--where', 'false', '-o', 'json'], env)
    expect(run).toEqual({ exit: 0, stdout: '[]\n', stderr: 'No contacts match.\n' })
  })

  test('that fails on a record names it, and is exit 2', async () => {
    const service = await withContacts(1)
    const [{ id } = {}] = await all(service, '/v1/contacts')
    await expectRefusal(
      { args: ['contacts', 'list', '--where', '.n.x'], env: service.env },
      {
        exit: 2,
        code: 'invalid_input',
        what: new RegExp(`record "${id}": Cannot index number`),
        next: /--where-errors skip/,
      },
    )
  })
})

describe('an expression that is none', () => {
  test('is exit 2 with the words of jq, before any request', async () => {
    const service = await withContacts(1)
    const { url, requests } = await countRequests(service.url)
    const refusal = { exit: 2, code: 'usage', what: /is not a jq expression: syntax error/, next: /jqlang/ }
    const env = { ...service.env, CRM_BASE_URL: url }
    await expectRefusal({ args: ['contacts', 'list', '--where', '.a['], env }, refusal)
    await expectRefusal({ args: ['contacts', 'create', '--set', 'name=x', '--jq', '.a['], env }, refusal)
    expect(requests).toEqual([])
  })
})

describe('--jq', () => {
  test('gets the whole list, each record, or the one record', async () => {
    const { env } = await withContacts(120)
    expect(await crmPrints(['contacts', 'list', '--jq', 'length'], env)).toBe('120\n')
    expect(await crmPrints(['contacts', 'list', '--limit', '2', '-o', 'jsonl', '--jq', '.name'], env)).toBe('n0\nn1\n')
    const id = (await crmPrints(['contacts', 'list', '--limit', '1', '-o', 'id'], env)).trim()
    expect(await crmPrints(['contacts', 'get', id, '--jq', '{name}', '-o', 'jsonl'], env)).toBe('{"name":"n0"}\n')
  })

  test('that fails on the answer to a write is exit 3, because the write is done', async () => {
    const service = await startService()
    const run = await crm(['contacts', 'create', '--set', 'name=Ada', '--jq', '.name.x'], service.env)
    expect(run).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('done, but') })
    expect(await all(service, '/v1/contacts')).toHaveLength(1)
  })

  for (const format of ['table', 'csv', 'tsv', 'yaml', 'id']) {
    test(`does not go with -o ${format}`, async () => {
      const env = { HOME: '/nonexistent', PATH: process.env.PATH ?? '' }
      const { exit, stderr } = await crm(['contacts', 'list', '--jq', '.', '-o', format], env)
      expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(`go with -o ${format}`) })
    })
  }

  test('means nothing to a command that prints no record, and jq is loaded only where it is asked for', async () => {
    const { env } = await withContacts(1)
    expect(await crm(['config', 'path', '--where', '.'], env)).toMatchObject({ exit: 2 })
    expect((await loadedBy(['contacts', 'list', '-o', 'csv'], env)).parts).not.toContain('jq-wasm')
    expect((await loadedBy(['contacts', 'list', '--jq', '.'], env)).parts).toContain('jq-wasm')
  })
})
