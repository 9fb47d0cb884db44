import { describe, expect, test } from 'vitest'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'

const FIELDS = ['--fields', 'name,amount']

describe('an empty list', () => {
  test('prints [] as json and nothing in the other formats, says so on stderr, and succeeds', async () => {
    const { env } = await startService()
    const runs = await Promise.all(
      ['table', 'json', 'jsonl', 'id'].map((format) => crm(['contacts', 'list', '-o', format], env)),
    )
    const nothing = { exit: 0, stdout: '', stderr: 'No contacts.\n' }
    expect(runs).toEqual([nothing, { ...nothing, stdout: '[]\n' }, nothing, nothing])
  })

  test('says nothing at all with --quiet', async () => {
    const { env } = await startService()
    expect(await crm(['deals', 'list', '-q'], env)).toEqual({ exit: 0, stdout: '', stderr: '' })
  })
})

describe('a list', () => {
  test('prints the same deals in every format, newest first', async () => {
    const service = await startService()
    const deals = [
      { name: 'Engines', stage: 'Lead', amount: 12.5 },
      { name: 'Looms', stage: 'Won' },
    ]
    const [engines = '', looms = ''] = await make(service, '/v1/deals', deals)
    const print = (format: string) => crm(['deals', 'list', '-o', format, ...FIELDS], service.env)
    const [table, json, jsonl, id] = await Promise.all(['table', 'json', 'jsonl', 'id'].map(print))
    const done = { exit: 0, stderr: '' }
    expect(table).toEqual({ ...done, stdout: 'NAME     AMOUNT\nLooms\nEngines    12.5\n' })
    const rows = [
      { name: 'Looms', amount: null },
      { name: 'Engines', amount: 12.5 },
    ]
    expect(json).toEqual({ ...done, stdout: `${JSON.stringify(rows, null, 2)}\n` })
    expect(jsonl).toEqual({ ...done, stdout: rows.map((row) => `${JSON.stringify(row)}\n`).join('') })
    expect(id).toEqual({ ...done, stdout: `${looms}\n${engines}\n` })
  })

  test('is complete over several pages', async () => {
    const service = await startService()
    const ids = await make(
      service,
      '/v1/contacts',
      [...Array(201).keys()].map((n) => ({ name: `n${n}` })),
    )
    const stdout = await crmPrints(['contacts', 'list', '-o', 'id'], service.env)
    expect(stdout).toBe(
      ids
        .toReversed()
        .map((id) => `${id}\n`)
        .join(''),
    )
  })

  test('cut by --limit names the command that continues where it stopped', async () => {
    const service = await startService()
    const ids = await make(
      service,
      '/v1/contacts',
      [...Array(5).keys()].map((n) => ({ name: `n${n}` })),
    )
    let args = ['contacts', 'list', '--limit', '2', '-o', 'id']
    let [listed, isCut] = ['', true]
    while (isCut) {
      const { exit, stdout, stderr } = await crm(args, service.env)
      expect(exit).toBe(0)
      listed += stdout
      const next = /^The first 2; there are more: crm (.+)\n$/.exec(stderr)?.[1]
      if (!next) expect(stderr).toBe('')
      isCut = next !== undefined
      args = next?.split(' ') ?? []
    }
    expect(listed.trim().split('\n')).toEqual(ids.toReversed())
  })

  test('with a --limit of all there is says nothing of more', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'a' }, { name: 'b' }])
    const { stderr } = await crm(['contacts', 'list', '--limit', '2', '-o', 'id'], service.env)
    expect(stderr).toBe('')
  })

  test('is exit 2 for a misspelt field, after its rows, and reaches inside with a dot', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada', address: { city: 'London' } }])
    const run = await crm(['contacts', 'list', '-o', 'jsonl', '--fields', 'address.city,nmae'], service.env)
    expect(run).toMatchObject({
      exit: 2,
      stdout: '{"address.city":"London","nmae":null}\n',
      stderr: expect.stringContaining('--fields: none of the contacts that were read has the member nmae'),
    })
  })

  test('shows no control characters of others in a table, and leaves them as escapes in json', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Eve\u001b[2J\u202e\nmore' }])
    const [table, json] = await Promise.all(
      ['table', 'json'].map((format) => crmPrints(['contacts', 'list', '--fields', 'name', '-o', format], service.env)),
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(table).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/)
    expect(table?.split('\n')).toHaveLength(3)
    expect(json).toContain('\\u001b[2J')
    expect(JSON.parse(json ?? '')).toEqual([{ name: 'Eve\u001b[2J\u202e\nmore' }])
  })
})

describe('deals list --filter', () => {
  test('asks the server: one value, alternatives, and a range', async () => {
    const service = await startService()
    const deal = (name: string, stage: string, amount: number) => ({ name, stage, amount })
    await make(service, '/v1/deals', [deal('a', 'Lead', 1), deal('b', 'Won', 20), deal('c', 'Lost', 300)])
    const names = async (...filters: string[]) => {
      const flags = filters.flatMap((filter) => ['--filter', filter])
      return (await crmPrints(['deals', 'list', '-o', 'jsonl', '--fields', 'name', ...flags], service.env)).match(
        /[abc](?="})/g,
      )
    }
    expect(await names('stage=Won')).toEqual(['b'])
    expect(await names('stage=Won', 'stage=Lead')).toEqual(['b', 'a'])
    expect(await names('amount[gte]=20', 'amount[lte]=300', 'stage=Lost')).toEqual(['c'])
  })
})

test('--progress json states how far a long list is, a JSON object a line, and --quiet prints nothing', async () => {
  const service = await startService()
  await make(service, '/v1/contacts', [{ name: 'Ada' }, { name: 'Grace' }])
  const progressOf = async (...flags: string[]) => {
    let nowMs = Date.now()
    // Every look at this clock takes three seconds.
    const timing = { ...hurriedTiming(), now: () => (nowMs += 3_000) }
    const { exit, written } = startRun(['contacts', 'list', '--progress', 'json', ...flags], service.env, { timing })
    expect(await exit).toBe(0)
    return written.stderr
  }
  const lines = (await progressOf()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).progress)).toEqual(
    Array(2).fill({ done: 2, unit: 'contacts', per_second: expect.any(Number), elapsed_ms: expect.any(Number) }),
  )
  expect(await progressOf('-q')).toBe('')
})

test('a list goes on after pages that have fewer records than asked for, because those are large', async () => {
  const service = await startService()
  const contacts = Array.from({ length: 40 }, (_, at) => ({ name: `n${at}`, note: 'x'.repeat(60_000) }))
  const ids = await make(service, '/v1/contacts', contacts)
  const printed = await crmPrints(['contacts', 'list', '-o', 'id'], service.env)
  expect(printed.trim().split('\n')).toEqual(ids.toReversed())
  const some = await crmPrints(['contacts', 'list', '--limit', '30', '-o', 'id'], service.env)
  expect(some.trim().split('\n')).toEqual(ids.toReversed().slice(0, 30))
})
